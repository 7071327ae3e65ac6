"""The limits of a round: as parameters, at most ``limit-NAME``, at least ``least-NAME``; and applied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from datasets.setting import LARGEST, Setting
from games.contract.values import Figures
from games.shop.measures.registry import measure as find_measure
from scoring.measure import Measure, Measurement
from scoring.rules import Limit, RoundVerdict, evaluate

BOUNDS: tuple[tuple[str, Literal["<=", ">="]], ...] = (("limit-", "<="), ("least-", ">="))


def limit_parameters(measures: Sequence[Measure], usual: Sequence[Limit]) -> Iterator[Setting]:
    """A parameter for each bound of each measure; ``usual`` are the limits of a round that sets none.

    A measure that is better when higher has no bound from above.
    """
    defaults = {(limit.measure, limit.operator): limit.limit for limit in usual}
    for measure in measures:
        for prefix, operator in bounds_of(measure):
            yield Setting(
                f"{prefix}{measure.name}",
                "number",
                measure.title,
                default=defaults.get((measure.name, operator)),
                least=-LARGEST,
                most=LARGEST,
                is_optional=True,
            )


def bounds_of(measure: Measure) -> tuple[tuple[str, Literal["<=", ">="]], ...]:
    return BOUNDS[1:] if measure.better == "higher" else BOUNDS


def judged(measurements: Mapping[str, Measurement], limits: Sequence[Limit]) -> RoundVerdict:
    """`scoring.rules.evaluate` with what the measures declare of themselves; everybody who judges calls this.

    >>> judged({"ut-il": Measurement(0.25)}, [Limit("ut-il", "<=", 0.5)]).score
    50.0
    """
    best = {limit.measure: find_measure(limit.measure).best for limit in limits}
    return evaluate(measurements, limits, best)


def share_left(limit: Limit, value: float | None) -> float:
    """What a value leaves of a limit, as the utility score counts it."""
    return limit.share_left(value, find_measure(limit.measure).best)


def upper_limits(limits: Iterable[Limit]) -> dict[str, float]:
    """What house methods take: the limits from above by measure.

    >>> upper_limits([Limit("ut-il", "<=", 0.5), Limit("e1", ">=", 0.1)])
    {'ut-il': 0.5}
    """
    return {limit.measure: limit.limit for limit in limits if limit.operator == "<="}


def limits_of(params: Mapping[str, Any], measures: Sequence[Measure]) -> tuple[Limit, ...]:
    """The limits that the parameters of a round set.

    >>> limits_of({"limit-ut-il": 0.5, "least-ut-il": None}, [find_measure("ut-il")])
    (Limit(measure='ut-il', operator='<=', limit=0.5),)
    """
    return tuple(
        Limit(measure.name, operator, params[f"{prefix}{measure.name}"])
        for measure in measures
        for prefix, operator in bounds_of(measure)
        if params.get(f"{prefix}{measure.name}") is not None
    )


def loss_of(measures: Figures, limits: Sequence[Limit]) -> float | None:
    """The worst of the limited measures that their contest counts as the loss; None where there are none."""
    values = [measures.get(limit.measure) for limit in limits if find_measure(limit.measure).is_loss]
    return max((value for value in values if value is not None), default=None)
