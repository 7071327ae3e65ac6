"""Pseudonyms of the sheets of 2017: one per customer and month, or one per customer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from anonymizers.release import fresh_names
from datasets.tables import Coded
from games.shop.data.pwscup2017 import MONTHS, Sheet, month_of, spread_rows, take_rows
from games.shop.formats import Original2017


def under_pseudonyms(
    original: Original2017, rng: np.random.Generator, *, monthly: bool = True, draft: Sheet | None = None
) -> Sheet:
    """A draft of A(T), or T itself, with its customers under random names."""
    sheet = original.sheet
    owner = sheet.user.codes.astype(np.int64) * MONTHS
    if monthly:
        owner = owner + month_of(sheet.day)
    _, group = np.unique(owner, return_inverse=True)
    names = fresh_names(int(group.max()) + 1, "p", set(sheet.user.labels), rng)
    return replace(draft or sheet, user=Coded.from_texts(names[group]))


def without_rows(sheet: Sheet, gone: npt.NDArray[np.intp]) -> Sheet:
    """The same sheet with these rows deleted."""
    kept = np.setdiff1d(np.arange(sheet.n_rows), gone)
    return spread_rows(take_rows(sheet, kept), kept, sheet.n_rows)
