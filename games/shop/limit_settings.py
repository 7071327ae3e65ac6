"""What a round's limit may be, declared once: for forms, the API, bundles and the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from datasets.setting import LARGEST, Setting
from games.shop.measures.registry import BY_FORMAT
from games.shop.measures.registry import measure as find_measure
from scoring.rules import Limit

Operator = Literal["<=", ">="]

OPERATOR = Setting(
    "operator",
    "choice",
    "Its value must be",
    default=None,
    is_optional=True,
    choices=(("<=", "at most"), (">=", "at least")),
    help="If it is not given, at least for a measure that is better when higher, and at most for any other.",
    on_change=("scores",),
)
LIMIT = Setting("limit", "number", "Its limit", least=-LARGEST, most=LARGEST, on_change=("scores",))


def measure_setting(format_name: str | None = None) -> Setting:
    """Which measure a limit is on: one of a contest format, or of any.

    >>> measure_setting("2018").values
    ('ut-il',)
    """
    formats = BY_FORMAT if format_name is None else {format_name: BY_FORMAT[format_name]}
    choices = tuple((it.name, it.title) for measures in formats.values() for it in measures)
    return Setting("measure", "choice", "Measure", choices=choices, registry="measure", on_change=("scores",))


def limit_settings(format_name: str | None = None) -> tuple[Setting, ...]:
    return (measure_setting(format_name), OPERATOR, LIMIT)


class MeasureTwice(ValueError):
    """Two limits on one measure."""

    def __init__(self, name: str) -> None:
        super().__init__(f"got '{name}' twice, expected a measure once")
        self.name = name


class WrongWay(ValueError):
    """A limit from above on a measure that is better when higher."""

    def __init__(self, name: str) -> None:
        super().__init__(f"got '{name}' with at most, expected at least: {name} is better when higher")
        self.name = name


def operator_for(name: str, given: Operator | None = None) -> Operator:
    """The operator of a limit on a measure: the one given, if it can be meant, or the usual one."""
    measure = find_measure(name)
    if given == "<=" and measure.better == "higher":
        raise WrongWay(measure.name)
    return given or measure.usual_operator


def checked_limits(given: Sequence[Mapping[str, Any]], format_name: str | None = None) -> tuple[Limit, ...]:
    """Limits given as measure, operator and limit, each checked.

    >>> checked_limits([{"measure": "e1", "limit": 1}], "2017")
    (Limit(measure='e1', operator='<=', limit=1.0),)
    """
    limits: list[Limit] = []
    for line in given:
        values = {it.name: it.checked(line.get(it.name, it.default)) for it in limit_settings(format_name)}
        if values["measure"] in [limit.measure for limit in limits]:
            raise MeasureTwice(values["measure"])
        values["operator"] = operator_for(values["measure"], values["operator"])
        limits.append(Limit(**values))
    return tuple(limits)
