"""The marginal distribution of one column before and after, as bars: shares of the rows in percent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from games.contract.pictures import LONGEST
from games.contract.values import Bars

BEFORE, AFTER, OTHER = "before", "after", "other"
"""The words that a picture of marginals declares."""
MOST_VALUES = 24
"""More values than these: of categories the rarest share a bar, numbers are put into classes."""
N_CLASSES = 12
EMPTY, MANY = "–", "…"


def category_bars(name: str, part: str, before: Sequence[Any], after: Sequence[Any]) -> Bars:
    """The share of every value, in the order of the values; the rarest of too many are one class.

    >>> bars = category_bars("marginals", "sex", ["F", "M", "F", "F"], ["M", "M"])
    >>> bars.classes, bars.series
    (('F', 'M'), {'before': (75.0, 25.0), 'after': (0.0, 100.0)})
    """
    counts = {key: Counter(map(_label, column)) for key, column in ((BEFORE, before), (AFTER, after))}
    both = counts[BEFORE] + counts[AFTER]
    frequent = sorted(both, key=lambda value: (-both[value], value))[: MOST_VALUES - 1]
    shown = sorted(both) if len(both) <= MOST_VALUES else sorted(frequent)
    return _bars(name, part, shown, counts, {BEFORE: len(before), AFTER: len(after)})


def number_bars(name: str, part: str, before: npt.ArrayLike, after: npt.ArrayLike) -> Bars:
    """The share of every value where there are few, else of classes of equal width; empty cells are left out.

    A number on the border of two classes belongs to the upper one.

    >>> bars = number_bars("marginals", "rating", [0, 5, 5, 5], [0, 0, 0, 10])
    >>> bars.classes, bars.series
    (('0', '5', '10'), {'before': (25.0, 75.0, 0.0), 'after': (75.0, 0.0, 25.0)})
    """
    columns = {key: _numbers(column) for key, column in ((BEFORE, before), (AFTER, after))}
    everything = np.concatenate(list(columns.values()))
    values = np.unique(everything)
    if len(values) <= MOST_VALUES:
        labels = [f"{value:g}" for value in values.tolist()]
        if len(set(labels)) == len(labels):
            counts = {key: Counter(f"{value:g}" for value in one.tolist()) for key, one in columns.items()}
            return _bars(name, part, labels, counts, {key: len(one) for key, one in columns.items()})
    edges = np.linspace(everything.min(), everything.max(), N_CLASSES + 1)
    classes = tuple(f"{low:.4g}–{high:.4g}" for low, high in pairwise(edges.tolist()))
    if len(set(classes)) < len(classes):
        classes = tuple(f"{number}: {text}" for number, text in enumerate(classes, start=1))
    series = {
        key: tuple(_share(int(count), len(one)) for count in np.histogram(one, edges)[0])
        for key, one in columns.items()
    }
    return Bars(name, classes, series, part)


def _numbers(column: npt.ArrayLike) -> npt.NDArray[np.float64]:
    numbers = np.asarray(column, dtype=np.float64)
    return numbers[np.isfinite(numbers)]


def _bars(
    name: str, part: str, shown: Sequence[str], counts: dict[str, Counter[str]], sizes: dict[str, int]
) -> Bars:
    """One bar per value; what is not shown by itself is one more class."""
    series = {}
    rest = any(set(one) - set(shown) for one in counts.values())
    for key, one in counts.items():
        heights = [one[value] for value in shown]
        heights += [sizes[key] - sum(heights)] if rest else []
        series[key] = tuple(_share(count, sizes[key]) for count in heights)
    other = OTHER if OTHER not in shown else MANY
    return Bars(name, (*shown, other) if rest else tuple(shown), series, part)


def _label(value: Any) -> str:
    """A value as it stands under its bar."""
    text = "".join(character for character in str(value).strip() if character.isprintable())
    return text[:LONGEST] or EMPTY


def _share(count: int, n: int) -> float:
    return 100 * count / n if n else 0.0
