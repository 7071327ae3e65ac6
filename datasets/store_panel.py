"""A panel of stores (or of any subjects): what each sold of each brand in each period, prices, promotions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from arithmetic import log
from datasets.tables import Coded, Integers, frozen

Floats = npt.NDArray[np.float64]

ROLES = ("id", "period", "brand", "response", "price", "promotions", "group")


@dataclass(frozen=True, eq=False)
class StorePanel:
    """One row per subject, brand and period. ``log_price`` is ln P, ``promotions`` has a column for each.

    Rows are those of the table, in its order. ``period`` counts from 0 in ascending order of the periods.
    """

    subject: Coded
    period: Integers
    brand: Coded
    response: Floats
    log_price: Floats
    promotions: Floats
    promotion_names: tuple[str, ...]

    @property
    def n_rows(self) -> int:
        return len(self.response)

    @property
    def log_response(self) -> Floats:
        return log(self.response)

    @property
    def predictors(self) -> Floats:
        """[ln P, D₁, …, D_L] of every row."""
        return np.column_stack([self.log_price, self.promotions])

    @classmethod
    def of(cls, table: pd.DataFrame, columns: Mapping[str, str | Sequence[str]]) -> StorePanel:
        """Read the columns that play the roles ``id, response, price`` and, where named, ``period, brand,
        promotions``. Without a period, the k-th row of a subject and brand is period k; without a brand,
        all rows are one brand. A response or price that is not a positive number is a `ValueError`.

        >>> table = pd.DataFrame({"store": ["a", "b"], "units": [10, 20], "price": [1.0, 2.0]})
        >>> panel = StorePanel.of(table, {"id": "store", "response": "units", "price": "price"})
        >>> panel.subject.labels.tolist(), panel.period.tolist(), panel.brand.labels.tolist()
        (['a', 'b'], [0, 0], ['all'])
        """
        id_column, response, price = (_one(columns, role) for role in ("id", "response", "price"))
        named = columns.get("promotions", ())
        promotions = [named] if isinstance(named, str) else list(named)
        subject = _coded(table, id_column)
        brand = _coded(table, _one(columns, "brand")) if columns.get("brand") else _single(len(table))
        if columns.get("period"):
            period: npt.NDArray = np.unique(_present(table, _one(columns, "period")), return_inverse=True)[1]
        else:
            period = pd.Series(subject.codes).groupby([subject.codes, brand.codes]).cumcount().to_numpy()
        cells = np.column_stack([subject.codes, brand.codes, period])
        if len(np.unique(cells, axis=0)) < len(table):
            raise ValueError("A subject has two rows for one brand and period. Expected at most one.")
        return cls(
            subject=subject,
            period=frozen(period.astype(np.int64)),
            brand=brand,
            response=frozen(_numbers(table, response, positive=True)),
            log_price=frozen(log(_numbers(table, price, positive=True))),
            promotions=frozen(
                np.column_stack([np.empty((len(table), 0)), *(_numbers(table, name) for name in promotions)])
            ),
            promotion_names=tuple(promotions),
        )


def _one(columns: Mapping[str, str | Sequence[str]], role: str) -> str:
    named = columns.get(role, ())
    names = [named] if isinstance(named, str) else list(named)
    if len(names) != 1:
        raise ValueError(f"The role {role!r} takes exactly one column. Got {len(names)} instead.")
    return names[0]


def _present(table: pd.DataFrame, column: str) -> npt.NDArray:
    if column not in table.columns:
        has = ", ".join(map(str, table.columns))
        raise ValueError(f"The table has no column {column!r}. Its columns are: {has}.")
    values = table[column]
    if values.isna().any():
        line = int(np.flatnonzero(values.isna())[0]) + 1
        raise ValueError(f"Column {column}, row {line}: got an empty cell, expected a value.")
    return values.to_numpy()


def _coded(table: pd.DataFrame, column: str) -> Coded:
    return Coded.from_texts([str(value) for value in _present(table, column)])


def _single(n_rows: int) -> Coded:
    return Coded.of(np.zeros(n_rows, dtype=np.int32), np.array(["all"], dtype=object))


def _numbers(table: pd.DataFrame, column: str, *, positive: bool = False) -> Floats:
    cells = _present(table, column)
    values = pd.to_numeric(pd.Series(cells), errors="coerce").to_numpy(dtype=np.float64)
    wrong = ~np.isfinite(values) | (positive & (values <= 0))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        expected = "a positive number, since its logarithm is modelled" if positive else "a number"
        raise ValueError(f"Column {column}, row {row + 1}: got {str(cells[row])!r}, expected {expected}.")
    return values
