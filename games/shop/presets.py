"""The limits of the contests that the platform can repeat, in one literal place."""

from __future__ import annotations

from scoring.rules import Limit

PWSCUP2016: tuple[Limit, ...] = (
    Limit("ut-jaccard", "<=", 0.7),
    Limit("subset", "<=", 50_000.0),
    Limit("cmae", "<=", 0.25),
    Limit("rfm", "<=", 0.2),
)
"""ut-jaccard and subset as in 2016 (Nakagawa); cmae and rfm are platform definition v1.

Random swapping of 20 % of the rows, the middle strength at which the papers compare methods, sits near these
two: over 20 seeds on the data of 2016 it has cmae 0.13 to 0.49 (median 0.20) and rfm 0.13 to 0.20 (median
0.17). Swapping 50 % broke cmae at 8 of 8 seeds and rfm at 7.
"""

PWSCUP2017: tuple[Limit, ...] = tuple(
    Limit(name, "<=", 1.0) for name in ("e1", "e2", "e3a", "e3b", "e4", "e5", "e6")
)
"""Nothing is refused for its losses, each from 0 to 1: the worst of them counts."""

PWSCUP2018: tuple[Limit, ...] = (Limit("ut-il", "<=", 1.0),)
"""As in 2017."""
