"""A table of people with several records each, coded: who is in which quasi-identifier group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from datasets.tables import Integers
from scoring.pairing import distinct_pairs

LIST_LIMIT = 10
"""How many worst people or groups a detail lists."""


@dataclass(frozen=True, eq=False)
class Panel:
    """Row i belongs to person ``person[i]`` and to the quasi-identifier group ``group[i]``."""

    person: Integers
    group: Integers
    people: npt.NDArray[Any]
    """Labels of the persons, by code."""
    groups: pd.DataFrame
    """The values of the quasi-identifiers of every group, by code."""

    @property
    def n_people(self) -> int:
        return len(self.people)

    @property
    def n_groups(self) -> int:
        return len(self.groups)

    def incidences(self) -> tuple[Integers, Integers]:
        """The distinct pairs (person, group), sorted by person and then by group."""
        n_groups = max(self.n_groups, 1)
        keys = distinct_pairs(self.person, self.group, self.n_people, n_groups)
        return np.divmod(keys.astype(np.int64), n_groups)

    def people_by_group(self) -> Integers:
        """How many different people each group holds."""
        return np.bincount(self.incidences()[1], minlength=self.n_groups)

    def records_by_group(self) -> Integers:
        return np.bincount(self.group, minlength=self.n_groups)

    def group_label(self, code: int) -> dict[str, str]:
        return {str(name): str(value) for name, value in self.groups.iloc[code].items()}

    def person_label(self, code: int) -> str:
        return str(self.people[code])


def panel_of(table: pd.DataFrame, id: str, qid: Sequence[str]) -> Panel:
    """Code a table by its id column and quasi-identifier columns; missing values are a value of their own.

    Without quasi-identifiers the whole table is one group.
    """
    require_columns(table, [id, *qid])
    if table[id].isna().any():
        raise ValueError(f"The id column {id!r} must not have missing values.")
    person, people = _numbered(table[id])
    group = _group_codes(table, qid)
    # Written backwards, so that the first row of each group stays.
    first = np.zeros(int(group.max(initial=-1)) + 1, dtype=np.int64)
    first[group[::-1]] = np.arange(len(group))[::-1]
    return Panel(person, group, people, table[list(qid)].iloc[first].reset_index(drop=True))


def _group_codes(table: pd.DataFrame, columns: Sequence[str]) -> Integers:
    """Number the distinct combinations of some columns from 0, in the order of the columns' values."""
    codes = np.zeros(len(table), dtype=np.int64)
    size = 1
    for name in columns:
        column, labels = _numbered(table[name])
        if size * max(len(labels), 1) >= 2**62:
            codes, used = _renumbered(codes)
            size = len(used)
        codes = codes * len(labels) + column
        size *= max(len(labels), 1)
    return _renumbered(codes)[0]


def _numbered(column: pd.Series) -> tuple[Integers, npt.NDArray[Any]]:
    """The codes of a column's values and the sorted values; a missing value comes last."""
    values = column.to_numpy()
    if values.dtype.kind in "iu" and values.dtype != np.uint64:
        return _renumbered(values.astype(np.int64, copy=False))
    codes, labels = pd.factorize(column, sort=True, use_na_sentinel=False)
    return np.asarray(codes, dtype=np.int64), np.asarray(labels)


def _renumbered(values: Integers) -> tuple[Integers, npt.NDArray[Any]]:
    """Whole numbers as codes 0, 1, … in their order, by a lookup table where they are close enough."""
    if len(values) == 0:
        return values, values
    low, high = int(values.min()), int(values.max())
    if high - low > 4 * len(values) + 1000:
        codes, labels = pd.factorize(values, sort=True)
        return np.asarray(codes, dtype=np.int64), np.asarray(labels)
    present = np.zeros(high - low + 1, dtype=bool)
    present[values - low] = True
    code = np.cumsum(present) - 1
    return code[values - low], np.flatnonzero(present) + low


def value_codes(table: pd.DataFrame, column: str) -> tuple[Integers, npt.NDArray[Any]]:
    """The codes and labels of a sensitive column; a missing value is a value of its own."""
    require_columns(table, [column])
    return _numbered(table[column])


def require_columns(table: pd.DataFrame, names: Sequence[str]) -> None:
    for name in names:
        if name not in table.columns:
            known = ", ".join(map(str, table.columns))
            raise ValueError(f"The table has no column {name!r}. Its columns are: {known}.")


def column_names(names: str | Sequence[str]) -> tuple[str, ...]:
    """One name or several, as a tuple."""
    return (names,) if isinstance(names, str) else tuple(names)


def extreme_groups(panel: Panel, values: npt.NDArray[Any], highest: bool) -> list[dict[str, Any]]:
    """The groups with the most extreme values, with people and records; ties by the groups' order."""
    order = np.argsort(-values if highest else values, kind="stable")[:LIST_LIMIT]
    people, records = panel.people_by_group(), panel.records_by_group()
    return [
        {
            "group": panel.group_label(code),
            "value": float(values[code]),
            "people": int(people[code]),
            "records": int(records[code]),
        }
        for code in order.tolist()
    ]
