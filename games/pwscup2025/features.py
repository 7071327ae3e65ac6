"""Columns as numbers: what regressions and models see of a table."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .layout import Floats, Texts, numbers_of

NO_LEVEL = "(NA)"


def features_of(table: Texts, target: str, empty_level: str = "") -> dict[str, Floats]:
    """All columns but the target: numbers as they are, categories as one column of 0 and 1 per level.

    A column with any number in it is a number column; its other cells are not a number. The first level of a
    category, in the order of code points, has no column. Empty cells are the level ``empty_level``.
    """
    made: dict[str, Floats] = {}
    for name, cells in table.items():
        if name == target:
            continue
        values = numbers_of(cells)
        if not np.isnan(values).all():
            made[name] = values
            continue
        levels = np.array([cell or empty_level for cell in cells], dtype=object)
        for level in sorted(set(levels.tolist()))[1:]:
            made[f"{name}_{level}"] = (levels == level).astype(np.float64)
    return made


def several_valued(columns: Mapping[str, Floats]) -> dict[str, Floats]:
    """The columns with more than one value, missing ones not counted, in the order of their names."""
    kept = {}
    for name in sorted(columns):
        there = columns[name][~np.isnan(columns[name])]
        if len(there) and there.min() != there.max():
            kept[name] = columns[name]
    return kept
