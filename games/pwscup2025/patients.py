"""Tables of patients as methods for any table see them, and the way back to lines of a legal file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from games.contract.declaration import Declaration
from games.contract.tables import Columns
from games.tables.methods import hidden_table
from games.tables.shape import shape_of

from .generator import Table, rows_of
from .layout import COLUMNS, HEADER, MEANS, RANGES, WHOLE, Lines
from .population import LEAST_OF_EACH
from .regression import TARGET


def hidden(
    name: str, declaration: Declaration, ranges: str, table: Columns, params: Mapping[str, Any],
    rng: np.random.Generator,
) -> Lines:  # fmt: skip
    """The table as a method hides it, inside the ranges of a round and with both values of the regression."""
    declared = declaration.file("C.csv", "entry")
    assert declared is not None
    spans = RANGES[ranges]
    columns = [replace(column, span=spans.get(column.name, column.span)) for column in declared.columns]
    made = hidden_table(name, table, shape_of(columns, table), params, rng)
    made[TARGET] = with_both(made[TARGET], table[TARGET])
    return Lines(HEADER, rows_of(_cells(made)))


def with_both(made: np.ndarray, original: np.ndarray) -> np.ndarray:
    """Flags of which each value occurs often enough: the first rows that had it get it back.

    >>> with_both(np.array([0, 0, 0, 0, 0]), np.array([0, 1, 0, 1, 1])).tolist()
    [0, 1, 0, 1, 0]
    """
    made = made.copy()
    for value in (0, 1):
        lacking = LEAST_OF_EACH - int((made == value).sum())
        if lacking > 0:
            made[np.flatnonzero((original == value) & (made != value))[:lacking]] = value
    return made


def _cells(made: Columns) -> Table:
    """Means in hundredths, as the game writes them."""
    table: Table = {}
    for name in COLUMNS:
        if name in MEANS:
            table[name] = np.rint(100 * made[name].astype(float)).astype(np.int64)
        else:
            table[name] = made[name].astype(np.int64) if name in WHOLE else made[name]
    return table
