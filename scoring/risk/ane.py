"""ANE: how far generalisation to group means moves the quasi-identifiers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from datasets.tables import Integers
from scoring.measure import Measurement, RiskMeasure
from scoring.risk.panel import column_names, panel_of, require_columns


def ane(table: pd.DataFrame, id: str, qid: Sequence[str], *, group: str | Sequence[str]) -> Measurement:
    """Average normalised error of replacing quasi-identifiers by the means of their groups.

        ANE = (1 / (d·N)) Σ_j Σ_i |x_ij − x*_ij|

    over the d columns of ``qid``, scaled to the range 0 to 1, and the N records; x* is the mean over the
    records of the same group, ``group`` naming the columns that define the groups. Two categories count as
    0 and 1; a column with more counts as the mean of its categories' 0/1 columns. Range 0 to 1, lower is
    better. The detail gives the error by column.

    Reference: Kartal, Li, "Protecting Privacy When Sharing and Releasing Data with Multiple Records per
    Person" (2020), section 7 (there as a percentage).

    >>> from scoring.examples import eight_patients
    >>> ane(eight_patients(), "name", ["gender"], group="gh_group").value  # every group has one gender
    0.0
    """
    require_columns(table, qid)
    panel = panel_of(table, id, column_names(group))
    records = np.maximum(panel.records_by_group(), 1)
    errors: dict[str, float] = {}
    for name in qid:
        if not pd.api.types.is_numeric_dtype(table[name]):
            errors[str(name)] = _category_error(table[name], panel.group, records)
            continue
        values = table[name].to_numpy(dtype=np.float64)
        low, span = values.min(initial=np.inf), np.ptp(values) if len(values) else 0.0
        unit = (values - low) / span if span else np.zeros(len(values))
        sums = np.array([math.fsum(part) for part in _by_group(panel.group, unit, panel.n_groups)])
        errors[str(name)] = math.fsum(np.abs(unit - (sums / records)[panel.group])) / max(len(unit), 1)
    value = math.fsum(errors.values()) / len(errors) if errors else 0.0
    return Measurement(value, {"groups": panel.n_groups, "by_column": errors})


def _category_error(column: pd.Series, group: Integers, records: Integers) -> float:
    """Mean error of the categories' 0/1 columns without making them.

    In a group of m records, q of them in a category, its 0/1 column has q errors of (m − q)/m and m − q
    errors of q/m: 2q(m − q)/m in sum. Of two categories both columns have the same error.
    """
    codes, labels = pd.factorize(column, sort=True, use_na_sentinel=False)
    pairs, held = np.unique(group * max(len(labels), 1) + codes, return_counts=True)
    size = records[pairs // max(len(labels), 1)]
    return math.fsum(2 * held * (size - held) / size) / max(len(column) * len(labels), 1)


def _by_group(
    group: npt.NDArray[np.int64], values: npt.NDArray[np.float64], n_groups: int
) -> list[npt.NDArray[np.float64]]:
    order = np.argsort(group, kind="stable")
    ends = np.cumsum(np.bincount(group, minlength=n_groups))[:-1]
    return np.split(values[order], ends) if n_groups else []


ANE = RiskMeasure(
    name="ane",
    title="Average normalised error",
    meaning="How far the quasi-identifiers move when each group is given its mean.",
    function=ane,
    low=0.0,
    high=1.0,
    better="lower",
    reference="Kartal, Li, Protecting Privacy … with Multiple Records per Person (JAIS 2020), section 7",
    version=1,
    needs=("group",),
)
