"""g-balance change: how much balance a split of a table into groups costs."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from scoring.measure import Measurement, RiskMeasure
from scoring.risk.g_balance import group_balances
from scoring.risk.panel import extreme_groups, panel_of


def g_balance_change(table: pd.DataFrame, id: str, qid: Sequence[str]) -> Measurement:
    """Loss of g-balance when a table is split into the groups of the given columns.

        Δg(t) = g(t) − Σ_s (records of s / records of t) · g(s)   (4)

    over the groups s; with two groups it is the paper's binary split. Range 0 to 1, lower is better. The
    detail gives g before and the least balanced groups.

    Reference: Kartal, Li, "Protecting Privacy When Sharing and Releasing Data with Multiple Records per
    Person" (2020), Definition 2.

    >>> from scoring.examples import eight_patients
    >>> round(g_balance_change(eight_patients(), "name", ["gender"]).value, 4)
    0.1252
    """
    whole = group_balances(panel_of(table, id, ()))
    before = float(whole[0]) if len(whole) else 0.0
    panel = panel_of(table, id, qid)
    after = group_balances(panel)
    records = panel.records_by_group()
    kept = math.fsum((records * after).tolist()) / max(len(table), 1)
    detail = {
        "groups": panel.n_groups,
        "g_before": before,
        "g_after": kept,
        "least_balanced": extreme_groups(panel, after, highest=False),
    }
    return Measurement(max(0.0, before - kept), detail)


G_BALANCE_CHANGE = RiskMeasure(
    name="g-balance-change",
    title="g-balance change",
    meaning="Balance lost by splitting the table into the groups of the given columns.",
    function=g_balance_change,
    low=0.0,
    high=1.0,
    better="lower",
    reference="Kartal, Li, Protecting Privacy … with Multiple Records per Person (JAIS 2020), Definition 2",
    version=1,
)
