"""Limits proposed from what entries reached: limits that some number of them keep."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from scoring.measure import Measure
from scoring.rules import Limit

DIGITS = 2
"""Significant digits of a proposed limit, which is rounded to the lenient side."""


@dataclass(frozen=True)
class Proposal:
    """Limits, and how many of ``of`` entries keep all of them; at least as many as were asked for."""

    limits: tuple[Limit, ...]
    kept_by: int
    of: int


def limits_kept_by(
    entries: Sequence[Mapping[str, float]], measures: Sequence[Measure], n: int
) -> Proposal | None:
    """The limits that the ``n`` best of some measured entries keep.

    With r_m(e) the number of entries that are better than e by the measure m, the best entries are those with
    the least Σ_m r_m(e), of equal sums the earlier. The limit on m is the worst value of m among them,
    rounded to two digits so that they keep it. None where there are not ``n`` entries or nothing is measured
    of all of them.
    """
    taken = [it for it in measures if all(math.isfinite(e.get(it.name, math.nan)) for e in entries)]
    if not taken or not 1 <= n <= len(entries):
        return None
    best = sorted(entries, key=lambda entry: sum(_n_better(entries, entry, it) for it in taken))[:n]
    limits = tuple(_limit(it, [entry[it.name] for entry in best]) for it in taken)
    kept_by = sum(all(limit.holds(entry[limit.measure]) for limit in limits) for entry in entries)
    return Proposal(limits, kept_by, len(entries))


def _n_better(entries: Sequence[Mapping[str, float]], entry: Mapping[str, float], measure: Measure) -> int:
    sign = -1 if measure.better == "higher" else 1
    return sum(sign * other[measure.name] < sign * entry[measure.name] for other in entries)


def _limit(measure: Measure, values: Sequence[float]) -> Limit:
    if measure.better == "higher":
        return Limit(measure.name, ">=", rounded(min(values), ROUND_FLOOR))
    return Limit(measure.name, "<=", rounded(max(values), ROUND_CEILING))


def rounded(value: float, way: str) -> float:
    """A number with two significant digits, up or down.

    >>> rounded(0.1231, ROUND_CEILING), rounded(0.1231, ROUND_FLOOR), rounded(49_100.0, ROUND_CEILING)
    (0.13, 0.12, 50000.0)
    """
    exact = Decimal(repr(value))
    if not exact:
        return 0.0
    step = Decimal(1).scaleb(exact.adjusted() - DIGITS + 1)
    return float(exact.quantize(step, rounding=way))
