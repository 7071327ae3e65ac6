"""`cluster`: in every period, groups of k customers show the same purchases."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy import sparse

from anonymizers.anonymizer import Parameter
from anonymizers.engines.benchmark_steps import distinct_pairs, equal_groups
from arithmetic import log1p
from datasets.tables import Integers
from games.shop.data.tables import PurchaseData, Transactions
from games.shop.methods.anonymizer import Anonymized, Anonymizer
from games.shop.methods.market import PERIODS, Market, draft_of, first_days, period_of
from games.shop.methods.release import publish


def cluster(
    original: PurchaseData,
    limits: Mapping[str, float],
    rng: np.random.Generator,
    *,
    k: int,
    period: str,
    combine: str,
) -> Anonymized:
    """Form groups of at least k customers in every period and give all members the group's purchases.

    In period t, the n_t active customers form max(1, ⌊n_t / k⌋) groups of nearly equal size by their units of
    every item. Each member then shows every item that the group bought, with the group's units added up
    (``sum``, as in the paper) or divided by the members (``mean``, which keeps totals), at the mean price,
    on the group's first day, at noon. Fewer than k active customers make one smaller group.
    """
    rows = original.transactions
    number = period_of(rows, period)
    crowd = np.empty(rows.n_rows, dtype=np.int64)
    n_crowds, too_small = 0, 0
    for t in np.unique(number).tolist():
        chosen = np.flatnonzero(number == t)
        people, place = np.unique(rows.customer[chosen], return_inverse=True)
        groups = equal_groups(_units(rows, chosen, place, len(people)), k, rng)
        crowd[chosen] = n_crowds + groups[place]
        n_crowds += int(groups.max()) + 1
        too_small += len(people) if len(people) < k else 0
    draft = _shared(original, crowd, combine)
    report = {
        "changed": f"{rows.n_rows} rows became {draft.transactions.n_rows} in {n_crowds} groups",
        "customer_periods_in_groups_below_k": too_small,
    }
    return Anonymized(publish(draft, rng), report)


def _units(rows: Transactions, chosen: Integers, place: Integers, n: int) -> sparse.csr_matrix:
    """Logarithms of units, customers × items: large orders would otherwise decide alone."""
    shape = (n, rows.item.n_labels)
    units = sparse.csr_matrix((rows.quantity[chosen].astype(float), (place, rows.item.codes[chosen])), shape)
    units.sum_duplicates()
    units.data = log1p(units.data)
    return units


def _shared(original: PurchaseData, crowd: Integers, combine: str) -> PurchaseData:
    """Everybody in a crowd gets all cells of the crowd."""
    rows = original.transactions
    market = Market.of(rows, crowd)
    of, member = distinct_pairs(crowd, rows.customer)
    size = np.bincount(of)
    # Cells are sorted by crowd: the cells of crowd c are one stretch.
    first = np.searchsorted(market.crowd, np.arange(len(size) + 1))
    width = np.diff(first)[of]
    customer = np.repeat(member, width)
    offset = np.arange(len(customer)) - np.repeat(np.cumsum(width) - width, width)
    cell = np.repeat(first[of], width) + offset
    start = first_days(rows, crowd)
    day = np.array([start[c] for c in range(len(size))])[market.crowd[cell]]
    units = market.units[cell] / (size[market.crowd[cell]] if combine == "mean" else 1)
    return draft_of(original, customer, market.crowd[cell], day, market.item[cell], market.price[cell], units)


CLUSTER = Anonymizer(
    name="cluster",
    title="Clustering",
    meaning="In every period, groups of at least k customers show exactly the same purchases.",
    function=cluster,
    reference="Li, Schneider, Yu, Gupta, 'Reidentification Risk in Panel Data', Table 6 and Appendix E.",
    version=1,
    parameters=(
        Parameter("k", "int", 3, "Customers in a group.", low=2, high=1000),
        Parameter(
            "period", "choice", "quarter", "The period in which groups are formed.", choices=tuple(PERIODS)
        ),
        Parameter(
            "combine",
            "choice",
            "mean",
            "Units of a member: the group's mean or its sum.",
            choices=("mean", "sum"),
        ),
    ),
)
