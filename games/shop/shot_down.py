"""r(n) of 2018: how many hits shoot an entry down."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

CHANCE = Fraction(1, 3)
"""The probability of a hit by chance."""
SIGNIFICANCE = Fraction(1, 100) / 20
"""One per cent, divided by twenty simultaneous tests."""


@lru_cache(maxsize=4096)
def shot_down(n: int, *, true_binomial: bool = False) -> int:
    """Least number of hits among n guesses that counts as re-identification.

    As published for 2018, with p = 1/3 and α = 0.01/20:

        r(n) = least k with Σ_{i ≥ k} C(n, i) pⁱ < α,   r(0) = 1,

    which lacks the factor (1 − p)ⁿ⁻ⁱ of the binomial tail. ``true_binomial=True`` puts it in (platform
    definition v1): then r(n) is the least k for which hitting k or more times by chance has a probability
    below α. An entry is shot down if its hits reach r(n). Computed in exact fractions.

    Reference: Organisers of PWSCUP 2018, table R.

    >>> [shot_down(n) for n in range(5)], shot_down(100), shot_down(100, true_binomial=True)
    ([1, 2, 3, 4, 5], 65, 50)
    """
    if n < 0:
        raise ValueError(f"The 'n' parameter of shot_down must be an integer >= 0. Got {n} instead.")
    if n == 0:
        return 1
    # Multiplied by 3ⁿ every term is a whole number: C(n, i)·3ⁿ⁻ⁱ, or C(n, i)·2ⁿ⁻ⁱ with the missing factor.
    base = CHANCE.denominator - CHANCE.numerator if true_binomial else CHANCE.denominator
    bound = SIGNIFICANCE * CHANCE.denominator**n
    tail, term = 0, 1
    for k in range(n, -1, -1):
        tail += term
        if tail >= bound:
            return k + 1
        # From C(n, k)·baseⁿ⁻ᵏ to the term of k − 1.
        term = term * k * base // (n - k + 1)
    return 0
