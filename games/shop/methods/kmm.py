"""`kmm` on M and T: week and quantities of the top items of a receipt are shared by k customers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from anonymizers.anonymizer import Parameter
from anonymizers.engines.kmm.fast import fast
from anonymizers.engines.kmm.panel import panel_problem
from anonymizers.release import CannotProtect
from anonymizers.table.kmm import KMM, distortion, written_back
from datasets.tables import Coded, Integers, frozen
from games.shop.data.baskets import Baskets, baskets
from games.shop.data.tables import PurchaseData, Transactions
from games.shop.engines.itemset_clusters.rebuild import usual_prices
from games.shop.methods.anonymizer import Anonymized, Anonymizer
from games.shop.methods.market import PERIODS
from games.shop.methods.release import publish, with_rows


def kmm_entry(
    original: PurchaseData, limits: Mapping[str, float], rng: np.random.Generator, *,
    k: int, items: int, period: str, amounts: str, period_weight: float, effort: float,
) -> Anonymized:  # fmt: skip
    """Alter receipts as little as possible until k customers share each quasi-identifier of a receipt.

    The quasi-identifier of a receipt is its period and, for each of the J items that most customers bought,
    its quantity (``amounts=units``) or whether it is there at all (``amounts=bought``). Receipts with none of
    these items are no records and stay as they are. The records are moved by `kmm` for tables: the summed
    distance of all moves is least, a period apart counting sqrt(``period_weight``) units.

    A moved receipt is shifted by whole periods within the dates of T. Of the J items it then holds what its
    new quasi-identifier says: rows are changed, removed, or added at the item's median price (and median
    quantity, where only ``bought`` is required). All other rows of the receipt go with it unchanged, so what
    else was bought is not protected: the promise holds for the declared quasi-identifier alone.

    Reference: Li, Schneider, Yu, Gupta, "Reidentification Risk in Panel Data: Protecting for k-Anonymity"
    (2022), sections 4 and 5.1.
    """
    basket = baskets(original, items, PERIODS[period], amounts == "bought")
    names = [str(name) for name in basket.table.columns if name != "customer"]
    weights = {name: period_weight if name == "period" else 1.0 for name in names}
    panel = panel_problem(basket.table, "customer", names, k, weights=weights)
    done = fast(panel.problem, rng, effort)
    released = written_back(basket.table, panel, done, names)
    rows = rewritten(original.transactions, basket, released, PERIODS[period], amounts)
    changed = distortion(basket.table, released, names, weights)
    report = changed | {
        "changed": f"{changed['records_moved']} of {changed['records']} receipts with top items",
        "quasi_identifiers": panel.problem.n_rows,
        "objective": done.objective,
        "lower_bound": done.bound,
        "items": original.transactions.item.labels[basket.items].tolist(),
    }
    return Anonymized(publish(with_rows(original, rows), rng), report)


def rewritten(
    rows: Transactions, basket: Baskets, released: pd.DataFrame, days: int, amounts: str
) -> Transactions:
    """T with every moved record as its new quasi-identifier says."""
    moved = (released != basket.table).any(axis=1).to_numpy()
    shift = days * (released["period"] - basket.table["period"]).to_numpy()
    of_row = basket.record >= 0
    day = rows.day.astype(np.int64)
    day[of_row] = np.clip(day[of_row] + shift[basket.record[of_row]], day.min(), day.max())
    rows = replace(rows, day=frozen(day.astype(np.int32)))
    kept, quantity = np.ones(rows.n_rows, dtype=bool), rows.quantity.copy()
    added: list[tuple[int, int, int]] = []
    top_rows = _rows_of_top(rows, basket)
    usual = _usual_quantities(rows)
    before, after = (frame.to_numpy()[:, 2:] for frame in (basket.table, released))
    for record in np.flatnonzero(moved).tolist():
        for j in np.flatnonzero(before[record] != after[record]).tolist():
            here, item = top_rows.get((record, j), []), int(basket.items[j])
            kept[here[1:] if after[record, j] else here] = False
            units = int(after[record, j]) if amounts == "units" else int(usual[item])
            if after[record, j] and here:
                quantity[here[0]] = units
            elif after[record, j]:
                added.append((record, item, units))
    return _with_added(replace(rows, quantity=frozen(quantity)), kept, basket, added)


def _rows_of_top(rows: Transactions, basket: Baskets) -> dict[tuple[int, int], list[int]]:
    """By record and top item, the rows of T."""
    place = {int(item): j for j, item in enumerate(basket.items.tolist())}
    found: dict[tuple[int, int], list[int]] = {}
    wanted = np.flatnonzero((basket.record >= 0) & np.isin(rows.item.codes, basket.items))
    for row in wanted.tolist():
        found.setdefault((int(basket.record[row]), place[int(rows.item.codes[row])]), []).append(row)
    return found


def _usual_quantities(rows: Transactions) -> Integers:
    """The median quantity of every item in T (the lower one of two)."""
    order = np.lexsort((rows.quantity, rows.item.codes))
    count = np.bincount(rows.item.codes, minlength=rows.item.n_labels)
    return rows.quantity[order][np.cumsum(count) - count + (count - 1) // 2]


def _with_added(
    rows: Transactions, kept: np.ndarray, basket: Baskets, added: list[tuple[int, int, int]]
) -> Transactions:
    """The kept rows and new ones, which have the receipt, day and time of their record's first row."""
    first = np.full(len(basket.table), -1, dtype=np.int64)
    of_row = np.flatnonzero(basket.record >= 0)[::-1]
    first[basket.record[of_row]] = of_row
    pattern = np.array([first[record] for record, _, _ in added], dtype=np.int64)
    source = np.concatenate([np.flatnonzero(kept), pattern])
    n_new, prices = len(added), usual_prices(rows)
    drawn = rows.take(source)
    item, price, quantity = rows.item.codes[source], rows.price[source], rows.quantity[source]
    item[len(item) - n_new :] = [item_code for _, item_code, _ in added]
    price[len(price) - n_new :] = [prices[item_code] for _, item_code, _ in added]
    quantity[len(quantity) - n_new :] = [units for _, _, units in added]
    used, codes = np.unique(item, return_inverse=True)
    if not len(used):
        raise CannotProtect("kmm would leave nothing of T. Choose fewer items or a smaller k.")
    named = Coded.of(codes, rows.item.labels[used])
    return replace(drawn, item=named, price=frozen(price), quantity=frozen(quantity))


KMM_ENTRY = Anonymizer(
    name="kmm",
    title="Minimum-movement k-anonymity of receipts",
    meaning="Period and quantities of the top items of a receipt change as little as k-anonymity allows.",
    function=kmm_entry,
    reference=KMM.reference,
    version=3,
    parameters=(
        Parameter("k", "int", 3, "Number of customers who share every quasi-identifier.", low=2, high=1000),
        Parameter("items", "int", 3, "How many top items count, by their number of buyers.", low=1, high=50),
        Parameter("period", "choice", "month", "The period of a receipt.", choices=tuple(PERIODS)),
        Parameter(
            "amounts", "choice", "units", "What is known of a top item: its units, or that it was bought.",
            choices=("units", "bought"),
        ),
        Parameter("period_weight", "float", 1.0, "Weight of a period apart in the distance.", 1e-6, 1e6),
        Parameter("effort", "float", 0.3, "How long to search, 1 being usual for a panel.", low=0, high=100),
    ),
    picture="contest/methods/_kmm.html",
)  # fmt: skip
