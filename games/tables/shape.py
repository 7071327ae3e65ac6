"""A declared table as methods see it, and the way back: whatever a method gives becomes legal cells."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from games.contract.declaration import Column, File
from games.contract.tables import Columns
from games.seek.distances import closest
from games.seek.roc import Floats

Cells = npt.NDArray[Any]
LEAST_WRITTEN = 1e-4
"""Smaller numbers are written with an exponent, which columns with declared decimals refuse."""


@dataclass(frozen=True, eq=False)
class Field:
    """A column: what its cells are and which are legal. A fixed one stays as it is."""

    name: str
    kind: Literal["integer", "number", "category"]
    low: float = -math.inf
    high: float = math.inf
    decimals: int | None = None
    values: Cells | None = None
    """The legal values, rising, where they are listed."""
    is_fixed: bool = False

    def legal(self, made: Cells, original: Cells) -> Cells:
        """The nearest legal cells; what the original lacks stays empty.

        >>> age = Field("age", "integer", 0, 120)
        >>> age.legal(np.array([-3.2, 40.5, 200.0]), np.array([1, 2, 3])).tolist()
        [0, 40, 120]
        """
        if self.is_fixed:
            return original
        if self.kind == "category":
            return self._known(made, original)
        numbers = made.astype(float)
        if self.values is not None:
            return closest(numbers, self.values)
        if self.kind == "integer":
            low, high = _inside(self.low, 0, math.ceil), _inside(self.high, 0, math.floor)
            return np.clip(np.rint(numbers), low, high).astype(np.int64)
        return self._rounded(numbers)

    def _rounded(self, numbers: Floats) -> Floats:
        if self.decimals is None:
            return np.clip(numbers, self.low, self.high)
        low, high = _inside(self.low, self.decimals, math.ceil), _inside(self.high, self.decimals, math.floor)
        rounded = np.clip(np.round(numbers, self.decimals), low, high)
        small = (np.abs(rounded) < LEAST_WRITTEN) & (rounded != 0)
        instead = 0.0 if low <= 0 <= high else max(low, LEAST_WRITTEN)
        return np.where(small, instead, rounded)

    def _known(self, made: Cells, original: Cells) -> Cells:
        """Texts that are legal; any other becomes the commonest legal one of the original."""
        if self.values is None:
            return made
        legal = np.isin(original, self.values)
        known, counts = np.unique(original[legal], return_counts=True)
        common = known[np.argmax(counts)] if len(known) else self.values[0]
        return np.where(np.isin(made, self.values), made, common)


def _inside(bound: float, decimals: int, towards: Any) -> float:
    """The bound itself, or the next number with so many decimals inside it.

    >>> _inside(1.005, 2, math.ceil), _inside(172.85, 2, math.floor)
    (1.01, 172.85)
    """
    if not math.isfinite(bound) or round(bound, decimals) == bound:
        return bound
    return float(towards(bound * 10**decimals) / 10**decimals)


Shape = Mapping[str, Field]
"""The columns of a table in their order."""


def shape_of(
    columns: File | Collection[Column], table: Columns, observed: Collection[str] = (),
    fixed: Collection[str] = (),
) -> dict[str, Field]:  # fmt: skip
    """The shape of a declared file. ``table`` is the original, in which missing numbers are NaN.

    Of the columns ``observed``, and of those whose domain is that of another file, only values that the
    original holds are legal. Columns that are unique, and those that are ``fixed``, stay as they are.
    """
    declared = columns.columns if isinstance(columns, File) else columns
    return {column.name: _field(column, table[column.name], column.name in observed,
                                column.name in fixed or column.unique) for column in declared}  # fmt: skip


def _field(column: Column, cells: Cells, is_observed: bool, is_fixed: bool) -> Field:
    kinds: Mapping[str, Any] = {"int": "integer", "date": "integer", "real": "number"}
    kind = kinds.get(column.kind, "category")
    low, high = column.span or (-math.inf, math.inf)
    values: Cells | None = None
    if is_observed or isinstance(column.domain, str):
        values = np.unique(cells[~missing(cells)])
    elif column.domain:
        legal = column.domain if kind == "category" else [float(text) for text in column.domain]
        values = np.unique(np.array(legal, dtype=object if kind == "category" else cells.dtype))
    return Field(column.name, kind, low, high, column.decimals, values, is_fixed)


def legal_table(shape: Shape, made: Columns, original: Columns) -> dict[str, Cells]:
    """All columns of a shape with legal cells; empty cells of the original stay empty."""
    found = {}
    for name, field in shape.items():
        cells = field.legal(np.asarray(made[name]), original[name])
        empty = missing(original[name])
        if empty.any() and not field.is_fixed:
            # As objects, so that the whole numbers beside an empty cell stay whole.
            cells = cells.astype(object)
            cells[empty] = ""
        found[name] = cells
    return found


def missing(cells: Cells) -> npt.NDArray[np.bool_]:
    """Which cells are empty: NaN among numbers, "" among texts."""
    return np.asarray(cells == "") if cells.dtype == object else np.isnan(cells.astype(float))


def filled(shape: Shape, table: Columns) -> dict[str, Cells]:
    """The table with the median or the commonest value in its empty cells, as methods need it."""
    return {name: whole_column(table[name]) for name in shape}


def whole_column(cells: Cells) -> Cells:
    """A column with its median or its commonest value in the empty cells."""
    empty = missing(cells)
    if not empty.any() or empty.all():
        return np.where(empty, 0.0, cells) if empty.any() and cells.dtype != object else cells
    there = cells[~empty]
    if cells.dtype == object:
        known, counts = np.unique(there, return_counts=True)
        return np.where(empty, known[np.argmax(counts)], cells)
    return np.where(empty, np.sort(there)[len(there) // 2], cells)
