"""A table of people with several records each, coded: who stands in which quasi-identifier group."""

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
        keys = distinct_pairs(self.person, self.group, max(self.n_groups, 1))
        return np.divmod(keys, max(self.n_groups, 1))

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
    person, people = pd.factorize(table[id], sort=True)
    group = _group_codes(table, qid)
    first = np.unique(group, return_index=True)[1]
    groups = table[list(qid)].iloc[first].reset_index(drop=True)
    return Panel(np.asarray(person, dtype=np.int64), group, np.asarray(people), groups)


def _group_codes(table: pd.DataFrame, columns: Sequence[str]) -> Integers:
    """Number the distinct combinations of some columns from 0, in the order of the columns' values."""
    codes = np.zeros(len(table), dtype=np.int64)
    size = 1
    for name in columns:
        column, labels = pd.factorize(table[name], sort=True, use_na_sentinel=False)
        if size * max(len(labels), 1) >= 2**62:
            codes, size = _compressed(codes)
        codes = codes * len(labels) + column
        size *= max(len(labels), 1)
    return _compressed(codes)[0]


def _compressed(codes: Integers) -> tuple[Integers, int]:
    numbers, used = pd.factorize(codes, sort=True)
    return np.asarray(numbers, dtype=np.int64), max(len(used), 1)


def value_codes(table: pd.DataFrame, column: str) -> tuple[Integers, npt.NDArray[Any]]:
    """The codes and labels of a sensitive column; a missing value is a value of its own."""
    require_columns(table, [column])
    codes, labels = pd.factorize(table[column], sort=True, use_na_sentinel=False)
    return np.asarray(codes, dtype=np.int64), np.asarray(labels)


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
