"""A round's constraints and its utility score, as data, and the one function that applies them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from datasets.messages import Message, Template
from scoring.measure import Measurement

LIMIT_BROKEN = Template("limit-broken", "%(measure)s is %(value)s, the limit is %(operator)s %(limit)s.")
NOT_MEASURED = Template(
    "not-measured", "%(measure)s could not be measured, the limit is %(operator)s %(limit)s."
)


@dataclass(frozen=True)
class Limit:
    """One constraint: the measure's value must have that relation to the limit."""

    measure: str
    operator: Literal["<=", ">="]
    limit: float

    def __post_init__(self) -> None:
        if self.operator not in ("<=", ">="):
            raise ValueError(f"The operator of a limit must be '<=' or '>='. Got {self.operator!r} instead.")
        if not math.isfinite(self.limit):
            raise ValueError(
                f"The limit on {self.measure} must be a finite number. Got {self.limit} instead."
            )

    def holds(self, value: float | None) -> bool:
        """Whether a value is within the limit; a missing value or NaN never is.

        >>> Limit("ut-jaccard", "<=", 0.7).holds(0.7), Limit("ut-jaccard", "<=", 0.7).holds(float("nan"))
        (True, False)
        """
        if value is None:
            return False
        return value <= self.limit if self.operator == "<=" else value >= self.limit

    @property
    def sign(self) -> str:
        """The operator as people write it."""
        return "≤" if self.operator == "<=" else "≥"

    def share_left(self, value: float | None, best: float | None = None) -> float:
        """How much of the limit a value leaves unused: 1 none used, 0 all used or broken.

        ``best`` is the best value of a measure that is better when higher, infinity where it has no end; None
        of one that is better when lower, of which a value that is at least the limit uses nothing.

        >>> Limit("subset", "<=", 50_000).share_left(12_500), Limit("kept", ">=", 0.5).share_left(0.75, 1.0)
        (0.75, 0.5)
        >>> Limit("rows", ">=", 100).share_left(400, math.inf)
        0.75
        """
        if value is None or not self.holds(value):
            return 0.0
        if self.operator == ">=":
            return 1.0 if best is None else self._share_upwards(value, best)
        if self.limit <= 0:
            return 1.0 if value <= self.limit else 0.0
        return max(0.0, min(1.0, 1.0 - value / self.limit))

    def _share_upwards(self, value: float, best: float) -> float:
        """Where a value is between the limit and the best; of an endless range by the ratio to the limit."""
        if math.isinf(best):
            return 1.0 if self.limit <= 0 else 1.0 - self.limit / value
        return 1.0 if best <= self.limit else min(1.0, (value - self.limit) / (best - self.limit))

    def share_used(self, value: float, best: float | None = None) -> float:
        """What pictures show beside a value: 0 where nothing of the limit is used, 1 at the limit or beyond.

        >>> Limit("subset", "<=", 50_000).share_used(60_000), Limit("kept", ">=", 0.5).share_used(0.9, 1.0)
        (1.0, 0.19999999999999996)
        """
        if self.operator == ">=":
            return 1.0 - self.share_left(value, best)
        if self.limit <= 0:
            return 0.0 if value <= 0 else 1.0
        return max(0.0, min(1.0, value / self.limit))


@dataclass(frozen=True)
class RoundVerdict:
    """Whether an entry is within a round's limits, why not, and its utility score from 0 to 100."""

    valid: bool
    because: tuple[Message, ...]
    score: float


def evaluate(
    measurements: Mapping[str, Measurement],
    limits: Sequence[Limit],
    best: Mapping[str, float | None] = MappingProxyType({}),
) -> RoundVerdict:
    """Apply a round's limits to what was measured.

    The entry is valid if every limit holds. Its utility score (platform definition v1) is

        100 · mean over the limited measures of max(0, 1 − value / limit),

    where a limit of 0 gives 1 if the value is 0 and else 0; without limits it is 100. A measure that is
    missing or not a number breaks its limit and adds 0. Of a measure that is better when higher, ``best`` is
    the best value, and max(0, (value − limit) / (best − limit)) is added, or max(0, 1 − limit / value) where
    its values have no end. A limit from below on another measure adds 1 where it is kept.

    >>> verdict = evaluate({"ut-jaccard": Measurement(0.8)}, [Limit("ut-jaccard", "<=", 0.7)])
    >>> verdict.valid, verdict.score, *map(str, verdict.because)
    (False, 0.0, 'ut-jaccard is 0.8, the limit is <= 0.7.')
    """
    because, shares = [], []
    for limit in limits:
        measurement = measurements.get(limit.measure)
        value = None if measurement is None else measurement.value
        shares.append(limit.share_left(value, best.get(limit.measure)))
        if not limit.holds(value):
            because.append(_reason(limit, value))
    score = 100.0 * math.fsum(shares) / len(shares) if shares else 100.0
    return RoundVerdict(not because, tuple(because), score)


def _reason(limit: Limit, value: float | None) -> Message:
    bound = {"measure": limit.measure, "operator": limit.operator, "limit": f"{limit.limit:.10g}"}
    if value is None or math.isnan(value):
        return NOT_MEASURED(**bound)
    return LIMIT_BROKEN(value=f"{value:.10g}", **bound)
