"""`itemset-clusters`: as few different item sets as the limit on ut-jaccard allows, and no other trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from anonymizers.anonymizer import Parameter
from datasets.tables import Integers, frozen
from games.shop.data.itemsets import itemset_matrix
from games.shop.data.tables import Master, PurchaseData, Transactions
from games.shop.engines.itemset_clusters.centre_bounds import MOST_CUSTOMERS, centre_bound
from games.shop.engines.itemset_clusters.exchange import horizontal_moves
from games.shop.engines.itemset_clusters.jaccard_medians import Clustering, jaccard_medians
from games.shop.engines.itemset_clusters.rebuild import rebuilt
from games.shop.engines.itemset_clusters.spending import Money, hold_subset, spending, worst_set
from games.shop.methods.anonymizer import Anonymized, Anonymizer
from games.shop.methods.release import publish


def itemset_clusters(
    original: PurchaseData,
    limits: Mapping[str, float],
    rng: np.random.Generator,
    *,
    distance: float,
    effort: float,
    randomise: bool,
    jitter: int,
    bound: bool,
) -> Anonymized:
    """Give all members of a cluster one item set, and each other's purchases.

    The clusters are the fewest that the search of `jaccard_medians` finds with mean Jaccard distance within
    ``distance`` and within the round's limit on ut-jaccard. `re-itemset` gives the same guess to all members
    of a cluster, so it finds at most one person per cluster.

    Step 1: inside a cluster every member takes the receipts, total, gender and country of a random member, so
    that sums over clusters stay; birthdays, which no measure uses, are permuted among all. Step 2: where the
    limit on subset would break, the customers with the largest differences take their own purchases back.
    Step 3: T′ is rebuilt from the receipts over the cluster's items, totals and mean prices kept; dates
    other than a customer's last move by up to ``jitter`` days of sale, times are redrawn.

    Given the clusters, what the release shows of a member depends on a uniformly drawn member: no attack can
    expect to find more people than there are clusters, unless Step 2 had to put somebody back. Customers who
    bought nothing form a cluster of their own. With ``bound`` the report also says how many clusters are
    needed at least if centres are customers' item sets (`centre_bound`); free centres can go below it.
    """
    sets = itemset_matrix(original, original.transactions.item.labels)
    limit = min(distance, limits.get("ut-jaccard", 1.0))
    found = _clusters(sets, limit, rng, effort)
    drawn = horizontal_moves(found.cluster, rng) if randomise else np.arange(original.n_customers)
    if randomise:
        source, rows = _randomised(original, found, drawn, jitter, limits.get("subset", np.inf), rng)
    else:
        source, rows = drawn, rebuilt(original, drawn, found.centres[found.cluster])
    draft = PurchaseData(_moved_master(original.master, source, randomise, rng), rows)
    report = _report(found, limit, drawn, source, randomise)
    if bound:
        report["customer_centre_bound"] = _bound(sets, limit)
    return Anonymized(publish(draft, rng), report)


def _clusters(sets: sparse.csr_matrix, limit: float, rng: np.random.Generator, effort: float) -> Clustering:
    """The clusters of those who bought something, and one with an empty centre for the others."""
    buyers = np.flatnonzero(np.diff(sets.indptr))
    n, rest = sets.shape[0], sets.shape[0] - len(buyers)
    found = jaccard_medians(sets[buyers], min(1.0, limit * n / len(buyers)), rng, effort)
    if rest == 0:
        return found
    cluster = np.full(n, found.n_clusters)
    cluster[buyers] = found.cluster
    centres = sparse.vstack([found.centres, sparse.csr_matrix((1, sets.shape[1]))], format="csr")
    return Clustering(cluster, centres, found.mean_distance * len(buyers) / n)


def _bound(sets: sparse.csr_matrix, limit: float) -> int | None:
    """The proven least number of clusters with customers' item sets as centres; None for large tables."""
    return centre_bound(sets, limit).lower if sets.shape[0] <= MOST_CUSTOMERS else None


def _moved_master(master: Master, source: Integers, randomise: bool, rng: np.random.Generator) -> Master:
    birthdays = rng.permutation(len(source)) if randomise else source
    return replace(
        master,
        gender=master.gender.take(source),
        country=master.country.take(source),
        birthday=master.birthday.take(birthdays),
    )


def _randomised(
    original: PurchaseData,
    found: Clustering,
    drawn: Integers,
    jitter: int,
    limit: float,
    rng: np.random.Generator,
) -> tuple[Integers, Transactions]:
    """Moves and rows within the limit on subset: fewer moves are tried until the rebuilt rows are."""
    spent = spending(original, original.transactions)
    for share in (0.9, 0.5, 0.0):
        # What is left of the limit is for whole quantities, which shift amounts between receipts.
        source = hold_subset(spent, drawn, share * limit)
        rows = rebuilt(original, source, found.centres[found.cluster])
        moved = _moved_in_time(original, rows, jitter, spent, limit, rng)
        if worst_set(spending(original, moved) - spent)[0] <= limit:
            break
    return source, moved


def _moved_in_time(
    original: PurchaseData,
    rows: Transactions,
    jitter: int,
    spent: Money,
    limit: float,
    rng: np.random.Generator,
) -> Transactions:
    """Move receipts by some days of sale, never beyond the customer's last one; redraw their times.

    The dates of customers for whom that would break the limit on subset stay.
    """
    days = np.unique(original.transactions.day)
    first = np.unique(rows.receipt.codes, return_index=True)[1]
    customer, place = rows.customer[first], np.searchsorted(days, rows.day[first])
    last = np.zeros(original.n_customers, dtype=np.int64)
    np.maximum.at(last, customer, place)
    shift = rng.integers(-jitter, jitter + 1, size=len(first))
    shift[place == last[customer]] = 0
    rows = replace(rows, minute=frozen(rng.permutation(rows.minute[first])[rows.receipt.codes]))
    calm = np.zeros(original.n_customers, dtype=bool)
    while True:
        moved = np.clip(place + np.where(calm[customer], 0, shift), 0, last[customer])
        shifted = replace(rows, day=frozen(days[moved][rows.receipt.codes].astype(np.int32)))
        value, _, people = worst_set(spending(original, shifted) - spent)
        if value <= limit or calm[people].all():
            return shifted
        calm[people] = True


def _report(
    found: Clustering, limit: float, drawn: Integers, source: Integers, randomise: bool
) -> dict[str, Any]:
    sizes, places = np.bincount(found.cluster), np.arange(len(source))
    return {
        "changed": "item sets, prices, quantities, dates, times and master attributes",
        "clusters": found.n_clusters,
        "alone_in_cluster": int((sizes == 1).sum()),
        "largest_cluster": int(sizes.max()),
        "mean_distance": found.mean_distance,
        "distance_limit": limit,
        # Step 2 and a release without Step 1 reveal more about their members than the clusters do.
        "expected_hits": found.n_clusters if randomise and (drawn == source).all() else None,
        "in_place": int((source == places).sum()),
        "put_back_for_subset": int(((source == places) & (drawn != places)).sum()),
    }


ITEMSET_CLUSTERS = Anonymizer(
    name="itemset-clusters",
    title="Item-set clusters",
    meaning="As few item sets as the limit allows; members of a cluster take one another's purchases.",
    function=itemset_clusters,
    reference="Nakagawa, 'Anonymization and Re-identification for Personal Transaction Data' (PWSCUP 2016): "
    "anti re-itemset, Steps 1 to 3.",
    version=1,
    parameters=(
        Parameter("distance", "float", 0.7, "Highest mean Jaccard distance of item sets.", low=0, high=1),
        Parameter("effort", "float", 1.0, "How long to search, 1 being seconds.", low=0, high=100),
        Parameter("randomise", "bool", True, "Do Steps 1 and 2; without them only item sets are hidden."),
        Parameter("jitter", "int", 3, "Days of sale by which dates may move.", low=0, high=365),
        Parameter("bound", "bool", False, "Report the proven bound for centres that are customers' sets."),
    ),
)
