"""The columns of a table as a masking method sees them: secrets to hide, predictors to condition on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from anonymizers.engines.masking.grid import Floats
from anonymizers.engines.masking.ranks import Rows, tie_bounds
from anonymizers.release import CannotProtect
from anonymizers.table_method import Columns, columns_of


@dataclass(frozen=True, eq=False)
class Secret:
    """A confidential column. ``values`` are its numbers, ``cells`` what is modelled: transformed, rounded.

    ``order`` lists the rows by rising value; the cells rise with it.
    """

    name: str
    values: Floats
    cells: Floats
    order: Rows

    def take(self, rows: Rows) -> Secret:
        values = self.values[rows]
        return Secret(self.name, values, self.cells[rows], np.argsort(values, kind="stable"))


@dataclass(frozen=True, eq=False)
class Predictor:
    """A column to condition on: a number that may enter with powers, or a 0/1 dummy that may not."""

    name: str
    values: Floats
    dummy: bool = False


@dataclass(frozen=True, eq=False)
class Prepared:
    secrets: tuple[Secret, ...]
    given: tuple[Predictor, ...]
    warnings: tuple[str, ...]


def prepare(table: pd.DataFrame, columns: Columns, transform: str, decimals: int) -> Prepared:
    """Check the columns and turn them into numbers.

    Text columns to condition on become dummies. ``transform`` is ``none`` or ``cdf``: the latter replaces
    every number by its empirical distribution function, the G and H of Qian and Xie (5). ``decimals`` of 0 or
    more rounds what is modelled, 4.3.4; −1 rounds nothing.
    """
    hidden, given = columns_of(columns, "confidential"), columns_of(columns, "given")
    for name in hidden:
        if name in given or hidden.count(name) > 1:
            raise CannotProtect(f"Column {name!r} is named twice. A column is confidential or given, once.")
    secrets = tuple(_secret(table[name], transform, decimals) for name in hidden)
    predictors: list[Predictor] = []
    warnings: list[str] = []
    for name in given:
        found = _predictors(table[name], transform, decimals)
        if not found:
            warnings.append(f"The given column {name!r} is constant, so it adds nothing and was left out.")
        predictors += found
    return Prepared(secrets, tuple(predictors), tuple(warnings))


def numbers(column: pd.Series) -> Floats:
    """The cells as finite numbers; two-valued text counts as 0 and 1; else `CannotProtect` says why."""
    if column.isna().any():
        row = int(np.flatnonzero(column.isna().to_numpy())[0]) + 1
        raise CannotProtect(
            f"Column {column.name!r} has a missing value in data row {row}. Fill or remove such rows first."
        )
    if pd.api.types.is_bool_dtype(column) or pd.api.types.is_numeric_dtype(column):
        values = column.to_numpy(dtype=float)
    else:
        codes, labels = pd.factorize(column, sort=True)
        if len(labels) > 2:
            raise CannotProtect(
                f"The confidential column {column.name!r} must hold numbers or two distinct texts. "
                f"Got {len(labels)} distinct texts instead."
            )
        values = codes.astype(float)
    if not np.isfinite(values).all():
        raise CannotProtect(f"Column {column.name!r} has an infinite value. Expected finite numbers.")
    return values


def empirical_cdf(values: Floats, order: Rows | None = None) -> Floats:
    """The share of values that are no larger, for every value.

    >>> empirical_cdf(np.array([3.0, 1.0, 3.0, 9.0])).tolist()
    [0.75, 0.25, 0.75, 1.0]
    """
    return tie_bounds(values, order)[1] / len(values)


def _secret(column: pd.Series, transform: str, decimals: int) -> Secret:
    values = numbers(column)
    if values.min() == values.max():
        raise CannotProtect(
            f"The confidential column {column.name!r} must hold at least two distinct values. Got one "
            "instead: nothing can be drawn in its place."
        )
    order = np.argsort(values, kind="stable")
    cells = _modelled(values, order, transform, decimals)
    if cells.min() == cells.max():
        raise CannotProtect(
            f"Rounding to {decimals} decimals leaves one value in column {column.name!r}. Use more decimals."
        )
    return Secret(str(column.name), values, cells, order)


def _predictors(column: pd.Series, transform: str, decimals: int) -> list[Predictor]:
    name = str(column.name)
    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
        values = numbers(column)
        if values.min() == values.max():
            return []
        if two_valued(values):
            return [Predictor(name, (values == values.max()).astype(float), dummy=True)]
        # Rounding serves speed only through the columns that are modelled and those on the same unit scale.
        rounding = decimals if transform == "cdf" else -1
        return [Predictor(name, _modelled(values, np.argsort(values, kind="stable"), transform, rounding))]
    if column.isna().any():
        numbers(column)
    codes, labels = pd.factorize(column, sort=True)
    return [
        Predictor(f"{name}={label}", (codes == code).astype(float), dummy=True)
        for code, label in enumerate(labels)
        if code
    ]


def two_valued(values: Floats) -> bool:
    return bool(((values == values.min()) | (values == values.max())).all())


def _modelled(values: Floats, order: Rows, transform: str, decimals: int) -> Floats:
    moved = empirical_cdf(values, order) if transform == "cdf" else values
    return moved if decimals < 0 else np.round(moved, decimals)


def members(codes: Rows, drawn: Rows, rng: np.random.Generator) -> Rows:
    """For every drawn code a random row that has it.

    >>> members(np.array([1, 0, 1]), np.array([0, 0]), np.random.default_rng(1)).tolist()
    [1, 1]
    """
    count = np.bincount(codes)
    order = np.argsort(codes.astype(np.min_scalar_type(len(count))), kind="stable")
    start = np.cumsum(count) - count
    return order[start[drawn] + (rng.random(len(drawn)) * count[drawn]).astype(np.int64)]
