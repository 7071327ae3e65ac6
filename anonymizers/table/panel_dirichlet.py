"""`panel-dirichlet`: synthetic brand choices with differential privacy."""

from __future__ import annotations

import numpy as np
import pandas as pd

from anonymizers.anonymizer import Parameter
from anonymizers.table.panel_records import REFERENCE, records_of, with_units
from anonymizers.table_method import Columns, TableMethod, TableResult
from arithmetic import expm1


def panel_dirichlet(
    table: pd.DataFrame, columns: Columns, rng: np.random.Generator, *, epsilon: float = 2.0
) -> TableResult:
    """Redraw the brand of every choice from an ε-differentially private distribution.

    A choice is a brand of which a record has at least one unit; n_j of all n choices are of brand j. One
    vector of probabilities is drawn from Dirichlet(n_1 + α, …, n_J + α) with α = n / (e^ε − 1), and every
    choice draws its brand from it and keeps its units. Two choices of a record that draw the same brand add
    up. Person and period stay as they are: the guarantee covers the choice of brands only.

    Appendix E samples the vector again for each brand j, which leaves open which of the J vectors an
    observation uses; all would have the same distribution, so one vector serves here.

    Reference: Li, Schneider, Yu, Gupta, "Reidentification Risk in Panel Data" (2022), Appendix E.

    >>> panel = pd.DataFrame({"who": list("AB"), "tea": [3, 0], "cake": [0, 2]})
    >>> done = panel_dirichlet(panel, {"id": "who", "qid": ["tea", "cake"]}, np.random.default_rng(0))
    >>> done.table[["tea", "cake"]].sum(axis=1).tolist(), round(done.report["prior"], 4)
    ([3, 2], 0.313)
    """
    records = records_of("panel-dirichlet", table, columns)
    record, brand = np.nonzero(records.units > 0)
    counts = np.bincount(brand, minlength=len(records.brands))
    prior = len(brand) / float(expm1(epsilon))
    units = np.zeros_like(records.units)
    if len(brand):
        drawn = rng.choice(len(counts), size=len(brand), p=rng.dirichlet(counts + prior))
        np.add.at(units, (record, drawn), records.units[record, brand])
    report = {"records": len(table), "choices": len(brand), "prior": prior}
    return TableResult(with_units(table, records, units), report)


PANEL_DIRICHLET = TableMethod(
    name="panel-dirichlet",
    title="Differentially private brand choices",
    meaning="Every choice draws its brand from a Dirichlet-multinomial distribution with privacy level ε.",
    function=panel_dirichlet,
    reference=f"{REFERENCE}, Table 6 and Appendix E",
    version=1,
    parameters=(
        Parameter("epsilon", "float", 2.0, "Privacy level; smaller protects more.", low=0.01, high=50),
    ),
    optional=("period",),
)
