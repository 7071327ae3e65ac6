"""SNAKE: which households are in the training set of a synthetic survey table?"""
