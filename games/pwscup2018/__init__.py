"""PWSCUP 2018: who is behind a pseudonym, where cells are intervals, sets and stars?"""
