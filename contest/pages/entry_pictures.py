"""The pictures of an entry, from the numbers that its scoring job stored."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from contest.charts.bars import Series, bars
from contest.charts.chart import Chart, thousands
from contest.charts.lines import day_lines
from contest.charts.rfm import rfm_squares


def entry_pictures(numbers: Mapping[str, Any]) -> list[Chart]:
    """One picture for each part of a portrait that is there; formats without a table have no part for it."""
    made = []
    if "jaccard" in numbers:
        made.append(_jaccard(numbers["jaccard"]))
    if numbers.get("days", {}).get("before"):
        made.append(_days(numbers["days"]))
    if "rfm" in numbers:
        made.append(
            rfm_squares(
                "rfm",
                _("Recency, frequency and money before and after"),
                numbers["rfm"]["before"],
                numbers["rfm"]["after"],
            )
        )
    return made


def _jaccard(numbers: Mapping[str, Any]) -> Chart:
    edges, counts = numbers["edges"], numbers["counts"]
    classes = [f"{low:g}–{high:g}" for low, high in itertools.pairwise(edges)]
    n = sum(counts)
    half = sum(count for count, low in zip(counts, edges, strict=False) if low >= 0.5)
    summary = ngettext(
        "Of %(n)s customer %(little)s kept more than nine tenths of the items; %(half)s moved by a half "
        "or more; %(vanished)s vanished.",
        "Of %(n)s customers %(little)s kept more than nine tenths of their items; %(half)s moved by a half "
        "or more; %(vanished)s vanished.",
        n,
    ) % thousands(n=n, little=counts[0], half=half, vanished=numbers["vanished"])
    return bars(
        "jaccard",
        _("How far the customers’ item sets moved"),
        summary,
        classes,
        [Series(_("customers"), counts)],
        x_label=_("Jaccard distance (0: same items, 1: none in common)"),
        y_label=_("customers"),
    )


def _days(numbers: Mapping[str, Any]) -> Chart:
    first = datetime.date(*(int(part) for part in numbers["first"].split("/")))
    step, before, after = numbers["step"], numbers["before"], numbers["after"]
    days = [first + datetime.timedelta(days=step * place) for place in range(len(before))]
    off = sum(abs(a - b) for a, b in zip(before, after, strict=True))
    summary = _(
        "Purchased lines from %(first)s to %(last)s: %(before)s before and %(after)s after; day by day they "
        "differ by %(off)s in all."
    ) % {
        **thousands(before=sum(before), after=sum(after), off=off),
        "first": days[0].isoformat(),
        "last": days[-1].isoformat(),
    }
    title = _("Purchases per day, before and after")
    if step > 1:
        title = _("Purchases in %(step)s days before and after") % {"step": step}
    return day_lines(
        "days",
        title,
        summary,
        days,
        [Series(_("before"), before), Series(_("after"), after)],
        x_label=_("date"),
        y_label=_("purchased lines"),
    )
