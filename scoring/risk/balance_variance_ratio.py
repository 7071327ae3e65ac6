"""Balance–variance ratio: what a split costs in balance for the spread it takes away."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from scoring.measure import Measurement, RiskMeasure
from scoring.risk.g_balance_change import g_balance_change
from scoring.risk.panel import require_columns


def balance_variance_ratio(
    table: pd.DataFrame, id: str, qid: Sequence[str], *, attribute: str | None = None
) -> Measurement:
    """g-balance change of a split divided by the variance of the attribute that it splits.

        r_j(t) = Δg(t) / v_j(t)   (7)

    ``qid`` names the columns that define the split; ``attribute`` the attribute j, by default the first of
    them. v_j is the variance over records after scaling to the range 0 to 1; two categories count as 0 and
    1. From 0, lower makes the better split; a constant attribute is refused.

    Reference: Kartal, Li, "Protecting Privacy When Sharing and Releasing Data with Multiple Records per
    Person" (2020), Definition 4.

    >>> from scoring.examples import eight_patients
    >>> result = balance_variance_ratio(eight_patients(), "name", ["gender"])
    >>> round(result.value, 3), round(result.detail["variance"], 4)
    (0.753, 0.1662)
    """
    name = attribute or qid[0]
    change = g_balance_change(table, id, qid)
    variance = float(np.var(scaled(table, name)))
    if variance == 0:
        raise ValueError(f"The attribute {name!r} is constant: a split on it has no ratio.")
    detail = {"attribute": name, "g_balance_change": change.value, "variance": variance}
    return Measurement(change.value / variance, detail)


def scaled(table: pd.DataFrame, name: str) -> npt.NDArray[np.float64]:
    """A column as sorted numbers from 0 to 1; sorted, so that the row order cannot show in a sum."""
    require_columns(table, [name])
    column = table[name]
    if not pd.api.types.is_numeric_dtype(column):
        codes, labels = pd.factorize(column, sort=True)
        if len(labels) > 2:
            raise ValueError(
                f"The attribute {name!r} must be numeric or have two categories. Got {len(labels)} "
                "categories instead; give each category a column of 0 and 1."
            )
        column = pd.Series(codes)
    values = np.sort(column.to_numpy(dtype=np.float64))
    if len(values) == 0 or values[0] == values[-1]:
        return np.zeros(len(values))
    return (values - values[0]) / (values[-1] - values[0])


BALANCE_VARIANCE_RATIO = RiskMeasure(
    name="balance-variance-ratio",
    title="Balance–variance ratio",
    meaning="Balance lost by a split for each unit of variance of the attribute.",
    function=balance_variance_ratio,
    low=0.0,
    high=None,
    better="lower",
    reference="Kartal, Li, Protecting Privacy … with Multiple Records per Person (JAIS 2020), Definition 4",
    version=1,
)
