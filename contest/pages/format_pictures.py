"""The pictures of data sets and entries: numbers and words from their format, drawn here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from contest.charts.bars import Series, bars
from contest.charts.chart import Chart, thousands
from contest.charts.cubes import cubes
from contest.charts.lines import day_lines
from contest.language.said import in_words
from contest.language.translation import say
from games.formats import pictures


def dataset_charts(counted: Mapping[str, Sequence[tuple[str, int]]]) -> list[Chart]:
    """Charts of what `contest.services.datasets.describe_dataset` counts."""
    return [drawn(picture) for picture in pictures.dataset_pictures(counted)]


def entry_charts(numbers: Mapping[str, Any]) -> list[Chart]:
    """Charts of the numbers that the job that scored an entry stored."""
    return [drawn(picture) for picture in pictures.entry_pictures(numbers)]


def drawn(picture: pictures.Picture) -> Chart:
    """A picture of a format as a chart, in the language of the moment."""
    if isinstance(picture, pictures.Bars):
        return _bars(picture)
    if isinstance(picture, pictures.Cubes):
        return cubes(
            picture.name,
            say(picture.title),
            in_words(picture.summary),
            [_series(picture.before), _series(picture.after)],
            [say(text) for text in picture.slices],
            [say(text) for text in picture.columns],
            x_label=say(picture.x_label),
            y_label=say(picture.y_label),
        )
    return day_lines(
        picture.name,
        in_words(picture.title),
        in_words(picture.summary),
        picture.days,
        [_series(one) for one in picture.series],
        x_label=say(picture.x_label),
        y_label=say(picture.y_label),
    )


def _bars(picture: pictures.Bars) -> Chart:
    classes = [say(text) for text in picture.classes] if picture.classes_are_words else picture.classes
    series = [_series(one) for one in picture.series]
    return bars(
        picture.name,
        say(picture.title),
        in_words(picture.summary) if picture.summary else _largest(classes, series[0]),
        classes,
        series,
        x_label=say(picture.x_label),
        y_label=say(picture.y_label),
    )


def _series(one: pictures.Counts) -> Series:
    return Series(say(one.name), one.counts)


def _largest(classes: Sequence[str], series: Series) -> str:
    """How many there are in all, and in which class most of them are."""
    counts = [int(count) for count in series.counts]
    total, top = sum(counts), max(range(len(counts)), key=counts.__getitem__, default=None)
    if top is None or not total:
        return _("Nothing to count.")
    return _("In all, %(what)s: %(total)s; most, %(share)s %%, in the class %(label)s.") % {
        **thousands(total=total),
        "what": series.name,
        "share": f"{100 * counts[top] / total:.0f}",
        "label": classes[top],
    }
