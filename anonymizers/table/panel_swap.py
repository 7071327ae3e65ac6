"""`panel-swap`: a share of the records exchange their units by brand in random pairs."""

from __future__ import annotations

import numpy as np
import pandas as pd

from anonymizers.anonymizer import Parameter
from anonymizers.engines.benchmark_steps import partners
from anonymizers.table.panel_records import REFERENCE, records_of, with_units
from anonymizers.table_method import Columns, TableMethod, TableResult


def panel_swap(
    table: pd.DataFrame, columns: Columns, rng: np.random.Generator, *, share: float = 0.2
) -> TableResult:
    """Draw a share α of the records at random and swap their units by brand in random pairs.

    Person and period stay, so all totals of the table do too. Swapping does not make anybody's
    quasi-identifier common: it is no k-anonymity, only an alteration of α of the records.

    Reference: Li, Schneider, Yu, Gupta, "Reidentification Risk in Panel Data" (2022), Table 6.

    >>> panel = pd.DataFrame({"who": list("AB"), "tea": [1, 2], "cake": [0, 5]})
    >>> done = panel_swap(panel, {"id": "who", "qid": ["tea", "cake"]}, np.random.default_rng(0), share=1.0)
    >>> done.table.values.tolist()
    [['A', 2, 5], ['B', 1, 0]]
    """
    records = records_of("panel-swap", table, columns)
    source = partners(len(table), share, rng)
    swapped = int((source != np.arange(len(source))).sum())
    released = with_units(table, records, records.units[source])
    return TableResult(released, {"records": len(table), "records_swapped": swapped})


PANEL_SWAP = TableMethod(
    name="panel-swap",
    title="Random swapping in a panel",
    meaning="A share of the records exchange their units by brand in random pairs.",
    function=panel_swap,
    reference=f"{REFERENCE}, Table 6",
    version=1,
    parameters=(Parameter("share", "float", 0.2, "Share of the records that take part.", low=0, high=1),),
    optional=("period",),
)
