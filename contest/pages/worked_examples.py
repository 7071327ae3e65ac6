"""What the page of a method shows of the worked example."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from contest.charts.chart import Chart
from contest.charts.ranks import lying_bars
from contest.language.translation import say
from games.formats.gallery import WorkedExample, worked_example
from games.formats.measures import measure


@dataclass(frozen=True)
class Example:
    """A worked example with its picture, and the measures of a method with their titles."""

    worked: WorkedExample
    charts: list[Chart] = field(default_factory=list)
    numbers: list[tuple[str, str, float]] = field(default_factory=list)


def example_of(kind: str, name: str) -> Example | None:
    """The worked example of a measure, an attack or an anonymizer; None where nothing was computed, as for
    methods of other tables."""
    worked = worked_example(kind, name)
    if worked is None:
        return None
    draw = {"measures": _measure_chart, "attacks": _attack_chart, "anonymizers": _method_chart}[kind]
    charts = [draw(name, worked)] if worked.values else []
    return Example(worked, charts, [(measure(key).title, key, value) for key, value in worked.lost])


def _measure_chart(name: str, worked: WorkedExample) -> Chart:
    described = measure(name)
    title = say(described.title)
    unit = f", {say(described.unit)}" if described.unit else ""
    return lying_bars(
        f"example-{name}",
        _("%(measure)s of the house methods") % {"measure": title},
        _summary(worked.values),
        worked.values,
        x_label=f"{title}{unit}",
        y_label=_("Anonymizer"),
    )


def _attack_chart(name: str, worked: WorkedExample) -> Chart:
    return lying_bars(
        f"example-{name}",
        _("Whom %(attack)s finds among the house methods") % {"attack": name},
        _summary(worked.values),
        worked.values,
        x_label=_("people found, of %(n)s") % {"n": worked.most},
        y_label=_("Anonymizer"),
        high=worked.most,
    )


def _method_chart(name: str, worked: WorkedExample) -> Chart:
    return lying_bars(
        f"example-{name}",
        _("Who is found after %(method)s") % {"method": name},
        _summary(worked.values),
        worked.values,
        x_label=_("people found, of %(n)s") % {"n": worked.most},
        y_label=_("Attack"),
        high=worked.most,
    )


def _summary(values: Sequence[tuple[str, float]]) -> str:
    most, least = (pick(values, key=lambda pair: pair[1]) for pick in (max, min))
    return _("Most: %(most)s with %(high)s; least: %(least)s with %(low)s.") % {
        "most": most[0],
        "high": f"{most[1]:.4g}",
        "least": least[0],
        "low": f"{least[1]:.4g}",
    }
