"""The limits of the contests that the platform can repeat, in one literal place."""

from __future__ import annotations

from scoring.rules import Limit

PWSCUP2016: tuple[Limit, ...] = (
    Limit("ut-jaccard", "<=", 0.7),
    Limit("subset", "<=", 50_000.0),
    Limit("cmae", "<=", 0.5),
    Limit("rfm", "<=", 0.25),
)
"""ut-jaccard and subset as in 2016 (Nakagawa); cmae and rfm are platform definition v1."""
