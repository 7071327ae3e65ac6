"""Points, utility, anonymity and overall scores, as the guide book and the published tables compute them."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from games.tables.boards import DECIMALS

NOISE = 9
FULL_POINTS = {"stats": 40, "lr": 20, "kw": 20, "model": 20}
HALF_UP, SIX_DIGITS = "half-up", "six-digits"


def half_up(value: float, decimals: int = 2) -> float:
    """Rounded as people do, halves away from zero, after the noise of binary fractions is removed.

    >>> half_up(91.885), half_up(2.675), half_up(91.8849)
    (91.89, 2.68, 91.88)
    """
    plain = Decimal(repr(round(value, NOISE)))
    return float(plain.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))


def points(differences: Mapping[str, float], rounding: str = HALF_UP) -> dict[str, float]:
    """What is left of each item: full points times 1 − difference, not below 0.

    In the preliminary round, differences were first printed with six significant digits.

    >>> round(points({"stats": 0.24779612}, SIX_DIGITS)["stats"], 9)
    30.08816
    """
    if rounding == SIX_DIGITS:
        differences = {name: float(f"{value:.6g}") for name, value in differences.items()}
    return {name: FULL_POINTS[name] * max(0.0, 1 - value) for name, value in differences.items()}


def utility(parts: Mapping[str, float], rounding: str = HALF_UP) -> float:
    """The sum of the points, rounded after adding.

    >>> utility({"stats": 38.056, "lr": 16.297, "kw": 19.326, "model": 18.206})
    91.89
    """
    total = sum(parts.values())
    return half_up(total) if rounding == HALF_UP else round(total, NOISE)


def penalty(most_finders: int, params: Mapping[str, Any]) -> float:
    """The number of attackers who found the same person, less one.

    >>> penalty(3, {"least-penalty": 0}), penalty(0, {"least-penalty": 0})
    (2.0, 0.0)
    """
    return float(max(params["least-penalty"], most_finders - 1))


def anonymity(hits: float, lost: float, n_members: int) -> float:
    """The share of the members that the best attacker missed, in per cent, less the penalty; not below 0.

    >>> anonymity(1504, 2, 10_000)
    82.96
    """
    return max(0.0, round(100 * (n_members - hits) / n_members - lost, DECIMALS))
