"""`market-level`: all subjects of a period added up, as vendors of scanner data do."""

from __future__ import annotations

import numpy as np
import pandas as pd

from anonymizers.release import CannotProtect
from anonymizers.table_method import Columns, TableMethod, TableResult, columns_of, only_column
from arithmetic import exp
from datasets.store_panel import StorePanel

MARKET = "market"


def market_level(table: pd.DataFrame, columns: Columns, rng: np.random.Generator) -> TableResult:
    """Sum the responses and average prices and promotions over all subjects, per brand and period.

    The id of every row becomes ``market``; columns without a role are dropped. Averages are plain means over
    the stores with a row, as Table 1 says.

    Reference: Schneider et al., "A Flexible Method for Protecting Marketing Data", 2017, Table 1, method 7.
    """
    try:
        panel = StorePanel.of(table, columns)
    except ValueError as error:
        raise CannotProtect(str(error)) from error
    period = columns_of(columns, "period")
    shown = table[only_column(columns, "period")].to_numpy() if period else panel.period
    cells = pd.DataFrame({"brand": panel.brand.texts(), "period": shown, "response": panel.response})
    cells["price"] = exp(panel.log_price)
    for number in range(len(panel.promotion_names)):
        cells[f"promotion {number}"] = panel.promotions[:, number]
    means = cells.groupby(["brand", "period"], sort=True).mean()
    totals = cells.groupby(["brand", "period"], sort=True)["response"].sum()
    market = pd.DataFrame({only_column(columns, "id"): [MARKET] * len(means)})
    market[period[0] if period else "period"] = means.index.get_level_values("period")
    for name in columns_of(columns, "brand"):
        market[name] = means.index.get_level_values("brand")
    market[only_column(columns, "response")] = totals.to_numpy()
    market[only_column(columns, "price")] = means["price"].to_numpy()
    for number, name in enumerate(panel.promotion_names):
        market[name] = means[f"promotion {number}"].to_numpy()
    return TableResult(market, {"changed": f"{len(table)} rows of subjects to {len(market)} of the market"})


MARKET_LEVEL = TableMethod(
    name="market-level",
    title="Market-level aggregation",
    meaning="A period's responses are added up over all subjects; prices and promotions are averaged.",
    function=market_level,
    reference="Schneider et al., 'A Flexible Method for Protecting Marketing Data', Table 1, 7.",
    version=1,
    roles=("id", "response", "price"),
    optional=("period", "brand", "promotions", "group"),
)
