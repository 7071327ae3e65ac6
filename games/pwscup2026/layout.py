"""The columns of this contest, and the tables as the measures read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from games.contract.tables import Columns

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

LABS = ("BMI", "SBP", "TG", "HDL", "ALT", "FPG")
NUMBERS = ("age", *LABS)
"""The seven columns of every distance."""
BINARY = ("sex", "smoking", "onset", "death")
WHOLE = ("age", *BINARY)
"""Columns of whole numbers, which may be written with a point."""
RELEASED = (
    "age", "sex", "prefecture", "BMI", "SBP", "TG", "HDL", "ALT", "smoking", "FPG", "time", "onset", "death",
)  # fmt: skip
"""The columns of a release, in the order in which it is sorted and published."""
RANGES: Mapping[str, tuple[float, float]] = {
    "BMI": (10.0, 55.0), "SBP": (40.0, 250.0), "TG": (1.0, 3000.0), "HDL": (10.0, 160.0),
    "ALT": (0.1, 700.0), "FPG": (40.0, 400.0),
}  # fmt: skip
AGES = (40, 74)
HORIZON = 10.0
"""Years of observation."""
FIRST_DAY = 1 / 365.25
"""The shortest time that is written, in years."""
CENSORED = 3652 / 365.25
"""The time of everybody who neither fell ill nor died."""
N_COHORTS = 30
"""Cohorts that teams can get."""
HOUSE = N_COHORTS
"""The cohort that no team has: the reference attacker's."""


def size(table: Columns) -> int:
    """
    >>> size({"age": np.zeros(3)})
    3
    """
    return len(next(iter(table.values())))


def chosen(table: Columns, rows: Any) -> dict[str, npt.NDArray[Any]]:
    """Some rows of a table."""
    return {name: values[rows] for name, values in table.items()}


def matrix(table: Columns, names: Sequence[str] = NUMBERS) -> Floats:
    """Columns as one array, a row per person."""
    return np.column_stack([np.asarray(table[name], dtype=float) for name in names])


def released(table: Columns) -> dict[str, npt.NDArray[Any]]:
    """A release as it is measured and published: its rows sorted by all columns, whole numbers as such."""
    columns = {name: table[name] for name in RELEASED}
    for name in WHOLE:
        columns[name] = np.asarray(columns[name]).astype(np.int64)
    rows = list(zip(*(columns[name].tolist() for name in RELEASED), strict=True))
    order = np.array(sorted(range(len(rows)), key=rows.__getitem__), dtype=np.int64)
    return chosen(columns, order)


def by_record(table: Columns) -> dict[str, npt.NDArray[Any]]:
    """A cohort in the order of its records."""
    return chosen(table, np.argsort(table["record_id"], kind="stable"))


def clipped(value: float) -> float:
    """To the range from 0 to 1.

    >>> clipped(-0.5), clipped(0.25), clipped(7)
    (0.0, 0.25, 1.0)
    """
    return min(1.0, max(0.0, value))
