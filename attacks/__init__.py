"""Attacks: guess who is who in a released table, and judge the guess."""
