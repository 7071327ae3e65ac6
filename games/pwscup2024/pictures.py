"""The marginal distributions of an entry, before and after."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from games.contract.marginals import category_bars, number_bars
from games.contract.tables import Columns
from games.contract.values import Bars

from .layout import ATTRIBUTES, Integers

NAME = "marginals"
RATINGS = "ratings"


def marginals(
    table: Columns, upload: Sequence[Columns], projections: Sequence[Sequence[str]]
) -> Iterator[Bars]:
    """Each attribute, and the ratings of all movies; a column counts once for every file that has it."""
    for name in ATTRIBUTES:
        times = [names for names in projections if name in names]
        after = [file[name] for file, names in zip(upload, projections, strict=True) if name in names]
        if not after:
            continue
        both = np.concatenate([table[name]] * len(times)), np.concatenate(after)
        if name == "Gender":
            yield category_bars(NAME, name, both[0].tolist(), both[1].tolist())
        else:
            yield number_bars(NAME, name, *both)
    movies = [[name for name in names if name not in ATTRIBUTES] for names in projections]
    yield number_bars(NAME, RATINGS, _cells([table] * len(upload), movies), _cells(upload, movies))


def _cells(files: Sequence[Columns], names: Sequence[Sequence[str]]) -> Integers:
    """All ratings of the files, one after the other."""
    return np.concatenate([file[name] for file, own in zip(files, names, strict=True) for name in own])
