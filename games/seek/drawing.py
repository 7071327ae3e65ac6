"""Drawing a task: who is asked about, who of them is in the training set, and who else is."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


class TooFew(ValueError):
    """The base table is too small for the parameters of the round."""


class Drawn(NamedTuple):
    """``asked`` are the units in the order of the answers, ``truth`` is 1 for those in the training set."""

    asked: npt.NDArray[Any]
    truth: Ints
    training: Ints
    """Places of the training rows in the base table, in random order."""


def draw_task(
    units: npt.NDArray[Any], *, least_rows: int, n_asked: int, n_rows: int, counts_all: bool,
    rng: np.random.Generator,
) -> Drawn:  # fmt: skip
    """Draw ``n_asked`` units with ``least_rows`` rows or more, half of them members, and the training rows.

    The training set has all rows of the members and a sample of rows of units that nobody is asked about. The
    sample fills it up to ``n_rows``; with ``counts_all`` the rows of the others among the asked count as
    well, though they are not in it, so that the training set is smaller by them.
    """
    names, places, counts = np.unique(units, return_inverse=True, return_counts=True)
    places = places.reshape(-1)
    eligible = np.flatnonzero(counts >= least_rows)
    if len(eligible) < n_asked:
        raise TooFew(f"{len(eligible)} units have {least_rows} rows or more, expected at least {n_asked}.")
    asked = eligible[rng.permutation(len(eligible))[:n_asked]]
    truth = rng.permutation(np.repeat([1, 0], [n_asked // 2, n_asked - n_asked // 2]))
    is_asked, is_member = np.isin(places, asked), np.isin(places, asked[truth == 1])
    others = np.flatnonzero(~is_asked)
    n_others = n_rows - int((is_asked if counts_all else is_member).sum())
    if not 0 <= n_others <= len(others):
        raise TooFew(f"The training set needs {n_others} other rows, the base table has {len(others)}.")
    sample = others[rng.permutation(len(others))[:n_others]]
    training = rng.permutation(np.concatenate([np.flatnonzero(is_member), sample]))
    return Drawn(names[asked], truth, training)
