"""The pictures of a data set: basket sizes, items, seasons."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext as _

from contest.charts.bars import Series, bars
from contest.charts.chart import Chart, thousands

Facts = Mapping[str, list[tuple[str, int]]]
"""What `contest.services.datasets.describe_dataset` counts: labels with their counts, by the fact's name."""


def dataset_pictures(facts: Facts) -> list[Chart]:
    """Bars of every fact that the format has."""
    weekdays = [
        _("Monday"), _("Tuesday"), _("Wednesday"), _("Thursday"), _("Friday"), _("Saturday"), _("Sunday"),
    ]  # fmt: skip
    named = dict(facts)
    named["weekdays"] = [(weekdays[int(number)], count) for number, count in facts["weekdays"]]
    titles = {
        "baskets": (_("Basket sizes"), _("lines on a receipt"), _("receipts")),
        "items": (_("Items by how often they are bought"), _("purchases of an item"), _("items")),
        "months": (_("Purchases per month"), _("month"), _("purchased lines")),
        "weekdays": (_("Purchases by day of the week"), _("day of the week"), _("purchased lines")),
    }
    return [_bars(name, *words, named[name]) for name, words in titles.items() if name in named]


def _bars(name: str, title: str, x_label: str, y_label: str, counted: list[tuple[str, int]]) -> Chart:
    classes, counts = [label for label, _count in counted], [count for _label, count in counted]
    total, top = sum(counts), max(range(len(counts)), key=counts.__getitem__, default=None)
    summary = _("Nothing to count.")
    if top is not None and total:
        summary = _("In all, %(what)s: %(total)s; most, %(share)s %%, in the class %(label)s.") % {
            **thousands(total=total),
            "what": y_label,
            "share": f"{100 * counts[top] / total:.0f}",
            "label": classes[top],
        }
    return bars(name, title, summary, classes, [Series(y_label, counts)], x_label=x_label, y_label=y_label)
