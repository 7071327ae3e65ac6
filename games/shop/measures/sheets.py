"""Rows of the sheets of 2017 that are on the same line of T and of A(T)."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from datasets.tables import Coded, Integers
from games.shop.data.pwscup2017 import Sheet
from games.shop.measures.item_similarity import Bought, shared_purchases

Denominator = Literal["all", "kept"]


def purchases_2017(original: Sheet, released: Sheet) -> tuple[Bought, Bought, npt.NDArray[np.object_]]:
    """Users, items and quantities of the rows that are not deleted."""
    return shared_purchases(_kept(original), _kept(released))


def _kept(sheet: Sheet) -> tuple[npt.NDArray[np.int32], Coded, Integers]:
    kept = np.flatnonzero(~sheet.deleted)
    return sheet.user.codes[kept], sheet.item.take(kept), sheet.quantity[kept]


def kept_rows(original: Sheet, released: Sheet) -> Integers:
    """The lines that A(T) kept; refuses sheets that are not line by line."""
    if original.n_rows != released.n_rows:
        raise ValueError(
            f"A(T) must have as many rows as T, {original.n_rows}. Got {released.n_rows} instead."
        )
    return np.flatnonzero(~released.deleted)


def divisor(original: Sheet, kept: Integers, denominator: Denominator) -> int:
    """What a mean over rows divides by: every row of T, or the rows that A(T) kept."""
    if denominator not in ("all", "kept"):
        raise ValueError(f"The 'denominator' option must be 'all' or 'kept'. Got {denominator!r} instead.")
    return max(original.n_rows if denominator == "all" else len(kept), 1)
