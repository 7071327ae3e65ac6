"""The limits of a round as parameters: at most ``limit-NAME``, at least ``least-NAME``, by measure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from datasets.setting import LARGEST, Setting
from games.contract.values import Figures
from games.shop.measures.registry import measure as find_measure
from scoring.measure import Measure
from scoring.rules import Limit

BOUNDS: tuple[tuple[str, Literal["<=", ">="]], ...] = (("limit-", "<="), ("least-", ">="))


def limit_parameters(measures: Sequence[Measure], usual: Sequence[Limit]) -> Iterator[Setting]:
    """A parameter for each bound of each measure; ``usual`` are the limits of a round that sets none."""
    defaults = {(limit.measure, limit.operator): limit.limit for limit in usual}
    for measure in measures:
        for prefix, operator in BOUNDS:
            yield Setting(
                f"{prefix}{measure.name}",
                "number",
                measure.title,
                default=defaults.get((measure.name, operator)),
                least=-LARGEST,
                most=LARGEST,
                is_optional=True,
            )


def limits_of(params: Mapping[str, Any], measures: Sequence[Measure]) -> tuple[Limit, ...]:
    """The limits that the parameters of a round set.

    >>> limits_of({"limit-ut-il": 0.5, "least-ut-il": None}, [find_measure("ut-il")])
    (Limit(measure='ut-il', operator='<=', limit=0.5),)
    """
    return tuple(
        Limit(measure.name, operator, params[f"{prefix}{measure.name}"])
        for measure in measures
        for prefix, operator in BOUNDS
        if params.get(f"{prefix}{measure.name}") is not None
    )


def loss_of(measures: Figures, limits: Sequence[Limit]) -> float | None:
    """The worst of the limited measures that their contest counts as the loss; None where there are none."""
    values = [measures.get(limit.measure) for limit in limits if find_measure(limit.measure).is_loss]
    return max((value for value in values if value is not None), default=None)
