"""g-balance: how evenly a group's records belong to its people."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from scoring.measure import Measurement, RiskMeasure
from scoring.risk.panel import Panel, extreme_groups, panel_of


def g_balance(table: pd.DataFrame, id: str, qid: Sequence[str] = ()) -> Measurement:
    """g-balance of the least balanced quasi-identifier group, or of the whole table without any.

    With c_i records of person i in a group t:

        g(t) = 1 − Σ_i (c_i / Σ_j c_j)²   (1)

    The value is the minimum over groups. Range 0 (one person alone) to 1 − 1/n_t, higher is better; a group
    with balance g has at least 1/(1 − g) people (Theorem 1). The detail lists the least balanced groups.

    Reference: Kartal, Li, "Protecting Privacy When Sharing and Releasing Data with Multiple Records per
    Person" (2020), Definition 1.

    >>> from scoring.examples import eight_patients
    >>> round(g_balance(eight_patients(), "name").value, 2)
    0.82
    """
    panel = panel_of(table, id, qid)
    balance = group_balances(panel)
    value = float(balance.min()) if len(balance) else 0.0
    detail = {"groups": panel.n_groups, "least_balanced": extreme_groups(panel, balance, highest=False)}
    return Measurement(value, detail)


def group_balances(panel: Panel) -> npt.NDArray[np.float64]:
    """g of every group."""
    pairs, counts = np.unique(panel.group * max(panel.n_people, 1) + panel.person, return_counts=True)
    group = pairs // max(panel.n_people, 1)
    records = panel.records_by_group()
    squares = np.zeros(panel.n_groups, dtype=np.int64)
    np.add.at(squares, group, counts * counts)
    return 1.0 - squares / np.maximum(records * records, 1)


G_BALANCE = RiskMeasure(
    name="g-balance",
    title="g-balance",
    meaning="How evenly the records of the worst group are spread over its people.",
    function=g_balance,
    low=0.0,
    high=1.0,
    better="higher",
    reference="Kartal, Li, Protecting Privacy … with Multiple Records per Person (JAIS 2020), Definition 1",
    version=1,
    qid_optional=True,
)
