"""What the page of a method shows of the worked example."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from contest.charts.chart import Chart
from contest.charts.ranks import lying_bars
from contest.language.translation import say
from contest.pages.gallery.examples import format_of, kept
from datasets.tables import PurchaseData
from scoring.examples import tea_and_cake
from scoring.registry import MEASURES, measure


@dataclass(frozen=True)
class SmallExample:
    """Two customers, before and after, and the value of the measure for them, computed now."""

    before: list[list[str]]
    after: list[list[str]]
    value: float


@dataclass(frozen=True)
class Example:
    """``customers`` is the size of the made-up shop; ``refused`` why the method released nothing there."""

    customers: int
    charts: list[Chart] = field(default_factory=list)
    numbers: list[tuple[str, str, float]] = field(default_factory=list)
    small: SmallExample | None = None
    refused: str = ""


def example_of(kind: str, name: str) -> Example | None:
    """The worked example of a measure, an attack or an anonymizer; None where nothing was computed, as for
    methods of other tables."""
    format_name = format_of(kind, name)
    if format_name is None:
        return None
    shop = kept()[format_name]
    done = {method: found for method, found in shop["methods"].items() if "refused" not in found}
    if kind == "measures":
        small = _small(name) if any(item.name == name for item in MEASURES) else None
        values = _values("measures", name, done)
        return Example(shop["customers"], [_measure_chart(name, values)] if values else [], small=small)
    if kind == "attacks":
        values = _values("found", name, done)
        charts = [_attack_chart(name, values, shop["customers"])] if values else []
        return Example(shop["customers"], charts) if charts else None
    if name not in done:
        return Example(shop["customers"], refused=shop["methods"].get(name, {}).get("refused", ""))
    found = done[name]
    numbers = [(measure(key).title, key, value) for key, value in found["measures"].items()]
    return Example(shop["customers"], [_method_chart(name, found)], numbers)


def _values(part: str, name: str, done: dict[str, Any]) -> list[tuple[str, float]]:
    """The number of each house method; none for a measure or an attack newer than the stored examples."""
    return [(method, found[part][name]) for method, found in done.items() if name in found[part]]


def _small(name: str) -> SmallExample:
    original, released, truth = tea_and_cake()
    return SmallExample(
        _lines(original), _lines(released), measure(name).function(original, released, truth).value
    )


def _lines(data: PurchaseData) -> list[list[str]]:
    return [[str(cell) for cell in row] for row in data.to_frames()[1].itertuples(index=False)]


def _measure_chart(name: str, values: Sequence[tuple[str, float]]) -> Chart:
    described = measure(name)
    title = say(described.title)
    unit = f", {say(described.unit)}" if described.unit else ""
    return lying_bars(
        f"example-{name}",
        _("%(measure)s of the house methods") % {"measure": title},
        _summary(values),
        values,
        x_label=f"{title}{unit}",
        y_label=_("Anonymizer"),
    )


def _attack_chart(name: str, values: Sequence[tuple[str, float]], customers: int) -> Chart:
    return lying_bars(
        f"example-{name}",
        _("Whom %(attack)s finds among the house methods") % {"attack": name},
        _summary(values),
        values,
        x_label=_("people found, of %(n)s") % {"n": customers},
        y_label=_("Anonymizer"),
        high=customers,
    )


def _method_chart(name: str, found: dict[str, Any]) -> Chart:
    values = list(found["found"].items())
    return lying_bars(
        f"example-{name}",
        _("Who is found after %(method)s") % {"method": name},
        _summary(values),
        values,
        x_label=_("people found, of %(n)s") % {"n": found["released"]},
        y_label=_("Attack"),
        high=found["released"],
    )


def _summary(values: Sequence[tuple[str, float]]) -> str:
    most, least = (pick(values, key=lambda pair: pair[1]) for pick in (max, min))
    return _("Most: %(most)s with %(high)s; least: %(least)s with %(low)s.") % {
        "most": most[0],
        "high": f"{most[1]:.4g}",
        "least": least[0],
        "low": f"{least[1]:.4g}",
    }
