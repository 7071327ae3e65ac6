"""A table as the tree sees it: units with counts, attributes as numbers from 0 to 1 or as categories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from anonymizers.release import CannotProtect
from datasets.tables import Integers

Reals = npt.NDArray[np.float64]
MOST_CATEGORIES = 64
"""Unordered attributes with more categories are split like ordered ones, in the order of their names: a 0/1
attribute per category would cost one level of the tree each, so no longer O(N log N)."""


@dataclass(frozen=True, eq=False)
class Attribute:
    """A quasi-identifier: ``records`` holds the records' numbers scaled to 0…1, or their category codes."""

    name: str
    kind: Literal["number", "ordered", "unordered"]
    records: npt.NDArray[Any]
    labels: npt.NDArray[Any] = field(default_factory=lambda: np.empty(0, dtype=object))
    """The categories in their order; none of a number."""
    low: float = 0.0
    span: float = 0.0
    """A number x is coded as (x − low) / span."""
    many: bool = False
    """Unordered, but with so many categories that it is split like an ordered one."""

    @property
    def split_as_number(self) -> bool:
        return self.kind != "unordered" or self.many

    @property
    def strict(self) -> bool:
        """Cut between different values only: categories, and numbers that are 0/1 codes of two categories."""
        return self.kind != "number" or bool(np.isin(self.records, (0.0, 1.0)).all())

    def scaled(self) -> Reals:
        """The records' values from 0 to 1."""
        if self.kind == "number":
            return self.records
        return self.records / max(len(self.labels) - 1, 1)


@dataclass(frozen=True, eq=False)
class Units:
    """What stays together in one group: all records of a person, or single records.

    ``unit[i]`` is the unit of record i, ``person[i]`` its person; ``weight[u]`` counts the records of u.
    """

    unit: Integers
    person: Integers
    n_people: int
    weight: Integers
    attributes: tuple[Attribute, ...]
    sensitive: tuple[Integers, ...]
    """The codes of every sensitive column, by record."""

    @property
    def n_units(self) -> int:
        return len(self.weight)


def code_table(
    table: pd.DataFrame,
    id: str,
    qid: Sequence[str],
    sensitive: Sequence[str],
    *,
    together: bool = True,
    orders: Mapping[str, Sequence[str]] | None = None,
    unordered: Sequence[str] = (),
) -> Units:
    """Code a table; refuse missing ids and missing or infinite quasi-identifiers.

    ``orders`` lists the categories of ordered attributes from low to high; ``unordered`` names numeric
    columns that are mere labels. ``together`` keeps all records of a person in one unit.
    """
    if table[id].isna().any():
        raise CannotProtect(
            f"The id column {id!r} has {int(table[id].isna().sum())} missing values. Expected none."
        )
    person, people = pd.factorize(table[id])
    unit = np.asarray(person, dtype=np.int64) if together else np.arange(len(table))
    attributes = tuple(attribute_of(table[name], orders or {}, name in unordered) for name in qid)
    codes = tuple(
        np.asarray(pd.factorize(table[name], use_na_sentinel=False)[0], np.int64) for name in sensitive
    )
    weight = np.bincount(unit, minlength=len(people) if together else len(table))
    return Units(unit, np.asarray(person, dtype=np.int64), len(people), weight, attributes, codes)


def attribute_of(column: pd.Series, orders: Mapping[str, Sequence[str]], as_labels: bool) -> Attribute:
    """Code one quasi-identifier by what it holds: numbers, dates, ordered or unordered categories."""
    name = str(column.name)
    if column.isna().any():
        raise CannotProtect(
            f"The quasi-identifier {name!r} has {int(column.isna().sum())} missing values. Fill them or "
            "remove those records first: a missing value has no place in an order."
        )
    if name in orders:
        return _ordered(name, column.astype(str), orders[name])
    if isinstance(column.dtype, pd.CategoricalDtype) and column.cat.ordered:
        return _ordered(name, column, column.cat.categories.tolist())
    if pd.api.types.is_datetime64_any_dtype(column):
        return _number(name, np.asarray(column.astype("datetime64[ns]").astype("int64"), dtype=np.float64))
    is_number = pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
    if is_number and not as_labels:
        return _number(name, column.to_numpy(dtype=np.float64))
    codes, labels = pd.factorize(column.astype(object), sort=True)
    many = len(labels) > MOST_CATEGORIES
    return Attribute(name, "unordered", codes.astype(np.int32), np.asarray(labels, dtype=object), many=many)


def _number(name: str, values: Reals) -> Attribute:
    if not np.isfinite(values).all():
        raise CannotProtect(f"The quasi-identifier {name!r} has infinite values. Expected finite numbers.")
    low, span = float(values.min(initial=np.inf)), float(np.ptp(values)) if len(values) else 0.0
    scaled = (values - low) / span if span else np.zeros(len(values))
    return Attribute(name, "number", scaled, low=low, span=span)


def _ordered(name: str, column: pd.Series, order: Sequence[str]) -> Attribute:
    codes = pd.Index(order).get_indexer(pd.Index(column))
    if (codes < 0).any():
        stranger = column.iloc[int(np.argmax(codes < 0))]
        raise CannotProtect(
            f"The order of {name!r} lacks the value {stranger!r}. Expected all values, from low to high."
        )
    return Attribute(name, "ordered", codes.astype(np.int32), np.asarray(list(order), dtype=object))
