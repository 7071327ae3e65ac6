"""A panel table whose quasi-identifiers are units by brand, checked and coded: what its methods share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from anonymizers.release import CannotProtect
from anonymizers.table_method import Columns, columns_of, only_column, refuse_missing
from datasets.tables import Integers

REFERENCE = "Li, Schneider, Yu, Gupta, Reidentification Risk in Panel Data (2022)"
MIX = ("price", "promotions")
"""The roles of marketing-mix columns: where records are joined, these are averaged."""


@dataclass(frozen=True, eq=False)
class Records:
    """Record i is person ``person[i]`` in period ``period[i]`` with ``units[i]`` of the ``brands``."""

    person: Integers
    period: Integers
    periods: pd.Series
    """The value of every period, by code; empty where no period was named."""
    brands: list[str]
    units: npt.NDArray[np.float64]
    mix: list[str]


def records_of(method: str, table: pd.DataFrame, columns: Columns) -> Records:
    """Code a table. The period may be among the quasi-identifiers, as `kmm` wants it; it is not a brand."""
    id = only_column(columns, "id")
    period = only_column(columns, "period") if columns_of(columns, "period") else None
    brands = [name for name in columns_of(columns, "qid") if name != period]
    mix = [name for role in MIX for name in columns_of(columns, role)]
    if not brands:
        raise CannotProtect(
            f"{method} needs columns of units among the quasi-identifiers. Got only the period."
        )
    refuse_missing(method, table, [id, *brands, *mix, *([period] if period else [])])
    for name in [*brands, *mix]:
        _require_numbers(method, table, name, natural=name in brands)
    periods = pd.Series(dtype=object)
    number = np.zeros(len(table), dtype=np.int64)
    if period is not None:
        codes, labels = pd.factorize(table[period], sort=True)
        number, periods = np.asarray(codes, dtype=np.int64), pd.Series(labels)
    person = np.asarray(pd.factorize(table[id], sort=True)[0], dtype=np.int64)
    return Records(person, number, periods, brands, table[brands].to_numpy(dtype=np.float64), mix)


def _require_numbers(method: str, table: pd.DataFrame, name: str, natural: bool) -> None:
    column = table[name]
    if not pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
        raise CannotProtect(f"{method} needs numbers in column {name!r}. Got {column.dtype} instead.")
    low = column.to_numpy(dtype=np.float64)
    if natural and (low < 0).any():
        row = int((low < 0).argmax())
        raise CannotProtect(
            f"{method} needs units >= 0 in column {name!r}. Got {column.iloc[row]} in row {row + 1}."
        )


def with_units(table: pd.DataFrame, records: Records, units: npt.NDArray[np.float64]) -> pd.DataFrame:
    """The table with other units; columns of whole numbers stay so where the units are whole."""
    released = table.copy()
    for place, name in enumerate(records.brands):
        cells = units[:, place]
        whole = pd.api.types.is_integer_dtype(table[name]) and bool((cells == np.rint(cells)).all())
        released[name] = cells.astype(np.int64) if whole else cells
    return released


def group_sums(values: npt.NDArray[np.float64], group: Integers, size: int) -> npt.NDArray[np.float64]:
    """Sums of the rows of each group.

    >>> group_sums(np.array([[1.0, 2.0], [3.0, 0.0], [5.0, 5.0]]), np.array([0, 0, 1]), 2).tolist()
    [[4.0, 2.0], [5.0, 5.0]]
    """
    sums = np.zeros((size, values.shape[1]))
    np.add.at(sums, group, values)
    return sums
