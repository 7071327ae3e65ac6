"""A table small enough to check by hand; the examples in the measures' documentation use it."""

from __future__ import annotations

import numpy as np
import pandas as pd

from datasets.tables import MASTER_COLUMNS, TRANSACTION_COLUMNS, Dataset, Integers


def tea_and_cake() -> tuple[Dataset, Dataset, Integers]:
    """Two customers: A's cake was deleted, B is unchanged; the release lists B first."""
    original = _dataset(
        [("A", "f", "1970/1/1", "France"), ("B", "m", "1980/1/1", "Spain")],
        [
            ("A", "1", "2011/1/1", "9:00", "tea", "1.5", "2"),
            ("A", "1", "2011/1/1", "9:00", "cake", "3", "1"),
            ("B", "2", "2011/1/2", "9:30", "tea", "1.5", "4"),
        ],
    )
    released = _dataset(
        [("y", "m", "1980/1/1", "Spain"), ("x", "f", "1970/1/1", "France")],
        [
            ("y", "2", "2011/1/2", "9:30", "tea", "1.5", "4"),
            ("x", "1", "2011/1/1", "9:00", "tea", "1.5", "2"),
        ],
    )
    return original, released, np.array([1, 0])


def _dataset(people: list[tuple[str, ...]], rows: list[tuple[str, ...]]) -> Dataset:
    return Dataset.from_frames(
        pd.DataFrame(people, columns=list(MASTER_COLUMNS)),
        pd.DataFrame(rows, columns=list(TRANSACTION_COLUMNS)),
    )
