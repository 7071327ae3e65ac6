"""`aggregate`: every purchase shows the market's mean of its item and period."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from anonymizers.anonymizer import Parameter
from anonymizers.engines.benchmark_steps import distinct_pairs
from games.shop.data.tables import PurchaseData
from games.shop.methods.anonymizer import Anonymized, Anonymizer
from games.shop.methods.market import PERIODS, Market, draft_of, first_days, period_of
from games.shop.methods.release import publish


def aggregate(
    original: PurchaseData, limits: Mapping[str, float], rng: np.random.Generator, *, period: str
) -> Anonymized:
    """Replace what a customer bought of an item in a period by the market's mean.

    Over all customers, units of item a in period t are added up and prices averaged, weighted by units; each
    of the buyers then shows one row with units / buyers (rounded, at least 1) and the mean price, on the
    first day of sale of the period, at noon. What is left of a person is who bought which item in which
    period. The papers release the sums without persons; a contest needs a table by person.
    """
    rows = original.transactions
    number = period_of(rows, period)
    market = Market.of(rows, number)
    cell, customer = distinct_pairs(market.cell, rows.customer)
    start = first_days(rows, number)
    visit = market.crowd[cell]
    day = np.array([start[crowd] for crowd in visit.tolist()])
    mean_units = market.units[cell] / market.buyers[cell]
    draft = draft_of(original, customer, visit, day, market.item[cell], market.price[cell], mean_units)
    report = {"changed": f"{rows.n_rows} rows aggregated into {len(cell)}", "periods": len(start)}
    return Anonymized(publish(draft, rng), report)


AGGREGATE = Anonymizer(
    name="aggregate",
    title="Aggregation",
    meaning="Prices and quantities become the market's means of item and period; receipts of a period merge.",
    function=aggregate,
    reference="Li, Schneider, Yu, Gupta, 'Reidentification Risk in Panel Data', Table 6; Schneider et al., "
    "'A Flexible Method for Protecting Marketing Data', Table 1, 7.",
    version=1,
    parameters=(
        Parameter("period", "choice", "week", "The period that is added up.", choices=tuple(PERIODS)),
    ),
)
