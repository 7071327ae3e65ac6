"""What the simple protections of a response share: they work brand by brand and change one column."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pandas as pd

from anonymizers.release import CannotProtect
from anonymizers.table_method import Columns, TableResult, columns_of, only_column

Floats = npt.NDArray[np.float64]
RESPONSE_ROLES = ("response",)
OTHER_ROLES = ("id", "period", "brand", "price", "promotions", "group")


def with_response(table: pd.DataFrame, column: str, response: Floats) -> pd.DataFrame:
    """A copy of the table with another response; whole numbers, at least 1, where it held whole numbers."""
    if pd.api.types.is_integer_dtype(table[column]):
        return table.assign(**{column: np.maximum(np.rint(response), 1).astype(np.int64)})
    return table.assign(**{column: response})


def changed_by_brand(
    table: pd.DataFrame, columns: Columns, change: Callable[[Floats], Floats]
) -> TableResult:
    """Change the response of each brand's rows; brands differ in size, so they never share a scale.

    The change must keep the response positive, since its logarithm is modelled.
    """
    column = only_column(columns, "response")
    before = pd.to_numeric(table[column], errors="coerce").to_numpy(dtype=np.float64)
    if not (np.isfinite(before) & (before > 0)).all():
        row = int(np.flatnonzero(~(np.isfinite(before) & (before > 0)))[0])
        raise CannotProtect(
            f"Column {column}, row {row + 1}: got {table[column].iloc[row]!s}, expected a positive number."
        )
    named = columns_of(columns, "brand")
    brand = pd.factorize(table[named[0]], sort=True)[0] if named else np.zeros(len(table), dtype=np.int64)
    after = np.empty(len(table))
    for code in range(int(brand.max()) + 1):
        rows = np.flatnonzero(brand == code)
        after[rows] = change(before[rows])
    protected = with_response(table, column, after)
    moved = int((protected[column].to_numpy() != table[column].to_numpy()).sum())
    return TableResult(protected, {"changed": f"{column} of {moved} of {len(table)} rows"})
