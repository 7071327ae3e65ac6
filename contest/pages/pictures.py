"""Which pictures a page shows, with the addresses of their files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from django.urls import reverse

from contest.charts.chart import Chart
from contest.models import Entry, Portrait, Round
from contest.pages.format_pictures import dataset_charts, entry_charts
from contest.services.datasets import describe_dataset


def charts_of_entry(entry: Entry) -> list[Chart]:
    """The pictures of an entry that the caller may show; none before it is scored."""
    kept = Portrait.objects.filter(entry=entry).first()
    if kept is None:
        return []
    args = [entry.round.contest.slug, entry.round.slug, entry.pk, "x", "svg"]
    return _placed(entry_charts(kept.numbers), reverse("entry_picture", args=args))


def charts_of_dataset(round_: Round) -> list[Chart]:
    """The pictures of a round's data set."""
    return charts_of_round(round_, dataset_charts(describe_dataset(round_.dataset)))


def charts_of_round(round_: Round, charts: Sequence[Chart]) -> list[Chart]:
    """Charts whose files the round's address gives."""
    return _placed(charts, reverse("round_picture", args=[round_.contest.slug, round_.slug, "x", "svg"]))


def _placed(charts: Sequence[Chart], pattern: str) -> list[Chart]:
    folder = pattern.removesuffix("x.svg")
    return [replace(chart, address=f"{folder}{chart.name}") for chart in charts]
