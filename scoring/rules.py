"""A round's constraints and its utility score, as data, and the one function that applies them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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

    def share_left(self, value: float | None) -> float:
        """How much of the limit a value leaves unused: 1 none used, 0 all used or broken.

        >>> Limit("subset", "<=", 50_000).share_left(12_500)
        0.75
        """
        if value is None or not self.holds(value):
            return 0.0
        if self.operator == ">=":
            return 1.0
        if self.limit <= 0:
            return 1.0 if value <= self.limit else 0.0
        return max(0.0, min(1.0, 1.0 - value / self.limit))


@dataclass(frozen=True)
class RoundVerdict:
    """Whether an entry is within a round's limits, why not, and its utility score from 0 to 100."""

    valid: bool
    because: tuple[Message, ...]
    score: float


def evaluate(measurements: Mapping[str, Measurement], limits: Sequence[Limit]) -> RoundVerdict:
    """Apply a round's limits to what was measured.

    The entry is valid if every limit holds. Its utility score (platform definition v1) is

        100 · mean over the limited measures of max(0, 1 − value / limit),

    where a limit of 0 gives 1 if the value is 0 and else 0; without limits it is 100. A measure that is
    missing or not a number breaks its limit and adds 0.

    >>> verdict = evaluate({"ut-jaccard": Measurement(0.8)}, [Limit("ut-jaccard", "<=", 0.7)])
    >>> verdict.valid, verdict.score, *map(str, verdict.because)
    (False, 0.0, 'ut-jaccard is 0.8, the limit is <= 0.7.')
    """
    because, shares = [], []
    for limit in limits:
        measurement = measurements.get(limit.measure)
        value = None if measurement is None else measurement.value
        shares.append(limit.share_left(value))
        if not limit.holds(value):
            because.append(_reason(limit, value))
    score = 100.0 * math.fsum(shares) / len(shares) if shares else 100.0
    return RoundVerdict(not because, tuple(because), score)


def _reason(limit: Limit, value: float | None) -> Message:
    bound = {"measure": limit.measure, "operator": limit.operator, "limit": f"{limit.limit:.10g}"}
    if value is None or math.isnan(value):
        return NOT_MEASURED(**bound)
    return LIMIT_BROKEN(value=f"{value:.10g}", **bound)
