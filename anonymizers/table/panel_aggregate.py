"""`panel-aggregate`: a panel becomes the sales of every period."""

from __future__ import annotations

import numpy as np
import pandas as pd

from anonymizers.table.panel_records import MIX, REFERENCE, group_sums, records_of
from anonymizers.table_method import Columns, TableMethod, TableResult, only_column


def panel_aggregate(table: pd.DataFrame, columns: Columns, rng: np.random.Generator) -> TableResult:
    """Add up the units of every brand over all panelists of a period and average the marketing mix.

    What is left is one row per period: period, units by brand (the other quasi-identifiers), the mean of each
    column of the roles price and promotions, and how many records were joined. It no longer shows
    anybody's choices, nor any metric that needs to know who bought. The paper adds up individual choices;
    here a choice counts with its units.

    Reference: Li, Schneider, Yu, Gupta, "Reidentification Risk in Panel Data" (2022), Table 6.

    >>> panel = pd.DataFrame({"who": list("AAB"), "week": [1, 2, 1], "tea": [1, 4, 2]})
    >>> columns = {"id": "who", "qid": "tea", "period": "week"}
    >>> panel_aggregate(panel, columns, np.random.default_rng(0)).table.values.tolist()
    [[1, 3, 2], [2, 4, 1]]
    """
    records = records_of("panel-aggregate", table, columns)
    period, n = only_column(columns, "period"), len(records.periods)
    count = np.bincount(records.period, minlength=n)
    sums = group_sums(records.units, records.period, n)
    sales = pd.DataFrame({period: records.periods})
    for place, name in enumerate(records.brands):
        whole = pd.api.types.is_integer_dtype(table[name])
        sales[name] = sums[:, place].astype(np.int64) if whole else sums[:, place]
    for name in records.mix:
        sales[name] = np.bincount(records.period, table[name].to_numpy(dtype=np.float64), n) / count
    sales["records"] = count
    return TableResult(sales, {"records": len(table), "periods": n})


PANEL_AGGREGATE = TableMethod(
    name="panel-aggregate",
    title="Aggregation of a panel",
    meaning="Only the sales of every brand and period are released.",
    function=panel_aggregate,
    reference=f"{REFERENCE}, Table 6",
    version=1,
    roles=("id", "qid", "period"),
    optional=MIX,
)
