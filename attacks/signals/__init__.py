"""Signals of cheating: numbers that should look random among honest teams, as evidence for people to judge.

A signal is not a verdict. Each says what was compared, how strong the agreement is, how strong it would be by
chance, and what honest reason could explain it.
"""
