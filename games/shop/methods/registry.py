"""The anonymizers of contest entries that the house offers, and the one way to run them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from anonymizers.parameters import checked
from anonymizers.release import CannotProtect
from datasets.lookup import find_by_name
from games.shop.data.itemsets import itemset_matrix, paired_jaccard
from games.shop.data.tables import PurchaseData, Release
from games.shop.methods.aggregate import AGGREGATE
from games.shop.methods.anonymizer import Anonymized, Anonymizer
from games.shop.methods.bayes_synthetic import BAYES_SYNTHETIC_SPENDING
from games.shop.methods.cluster import CLUSTER
from games.shop.methods.coarsen import ROUND
from games.shop.methods.delete import DELETE
from games.shop.methods.dirichlet import DIRICHLET
from games.shop.methods.gh_tree_customers import GH_TREE_CUSTOMERS
from games.shop.methods.identity import IDENTITY
from games.shop.methods.intervals import INTERVALS
from games.shop.methods.itemset_clusters import ITEMSET_CLUSTERS
from games.shop.methods.kmm import KMM_ENTRY
from games.shop.methods.month_days import MONTH_DAYS
from games.shop.methods.month_deletions import MONTH_DELETIONS
from games.shop.methods.month_pseudonyms import MONTH_PSEUDONYMS
from games.shop.methods.more import MORE_P_ENTRY, MORE_S_ENTRY
from games.shop.methods.noise import NOISE
from games.shop.methods.numbers_only import NUMBERS_ONLY
from games.shop.methods.shuffle import SHUFFLE
from games.shop.methods.starred_rows import STARRED_ROWS
from games.shop.methods.swap import SWAP
from games.shop.methods.topcode import TOPCODE
from games.shop.methods.year_pseudonyms import YEAR_PSEUDONYMS

ANONYMIZERS: tuple[Anonymizer, ...] = (
    IDENTITY,
    SHUFFLE,
    SWAP,
    NOISE,
    ROUND,
    TOPCODE,
    AGGREGATE,
    DELETE,
    CLUSTER,
    DIRICHLET,
    ITEMSET_CLUSTERS,
    BAYES_SYNTHETIC_SPENDING,
    GH_TREE_CUSTOMERS,
    KMM_ENTRY,
    MORE_P_ENTRY,
    MORE_S_ENTRY,
)
"""Anonymizers of M and T of 2016."""

ANONYMIZERS_2017: tuple[Anonymizer, ...] = (YEAR_PSEUDONYMS, MONTH_PSEUDONYMS, MONTH_DELETIONS, MONTH_DAYS)
"""Anonymizers of T of 2017."""

ANONYMIZERS_2018: tuple[Anonymizer, ...] = (NUMBERS_ONLY, INTERVALS, STARRED_ROWS)
"""Anonymizers of T of 2018."""

EVERY_ANONYMIZER = ANONYMIZERS + ANONYMIZERS_2017 + ANONYMIZERS_2018


def anonymizer(name: str) -> Anonymizer:
    """The anonymizer of that name.

    >>> anonymizer("swap").title
    'Random swapping'
    """
    return find_by_name(EVERY_ANONYMIZER, name, "anonymizer")


def methods_of(format_name: str) -> tuple[Anonymizer, ...]:
    """The house methods of a contest format."""
    return tuple(method for method in EVERY_ANONYMIZER if method.format == format_name)


def run_anonymizer(
    name: str,
    original: Any,
    limits: Mapping[str, float],
    seed: int,
    parameters: Mapping[str, Any],
) -> Anonymized:
    """Check the parameters, run the method on an original of its format, and add to its report.

    The same arguments give the same bytes. Raises `ParameterError` for a parameter that is unknown or out of
    range, and `CannotProtect` where the data cannot be made into a legal entry.
    """
    method = anonymizer(name)
    values = checked(name, method.parameters, parameters)
    done = make_entry(name, original, limits, np.random.default_rng(seed), values)
    report = {"method": name, "version": method.version, "seed": seed, "parameters": values}
    if isinstance(original, PurchaseData):
        report |= _summary(original, done.release, limits)
    return replace(done, report=report | dict(done.report))


def make_entry(
    name: str,
    original: Any,
    limits: Mapping[str, float],
    rng: np.random.Generator,
    parameters: Mapping[str, Any],
) -> Anonymized:
    """Check the parameters and run the method, with the report that it makes itself."""
    method = anonymizer(name)
    values = checked(name, method.parameters, parameters)
    if isinstance(original, PurchaseData) and min(original.n_customers, original.transactions.n_rows) == 0:
        raise CannotProtect(
            f"{name} needs at least one customer and one transaction. Got an empty table instead."
        )
    return method.function(original, limits, rng, **values)


def _summary(original: PurchaseData, release: Release, limits: Mapping[str, float]) -> dict[str, Any]:
    """The first questions: size, distance of item sets, and how many `re-itemset` can find at most.

    Customers with equal item sets get the same guess, so at most one customer per distinct item set is found.
    """
    labels = original.transactions.item.labels
    before = itemset_matrix(original, labels)[release.truth]
    after = itemset_matrix(release.data, labels)
    distance = float(paired_jaccard(before, after).mean())
    sets = {row.tobytes() for row in np.split(after.indices, after.indptr[1:-1])}
    limit = limits.get("ut-jaccard")
    return {
        "rows": release.data.transactions.n_rows,
        "ut-jaccard": distance,
        "expected_risk": {"distinct_item_sets": len(sets), "share": len(sets) / release.data.n_customers},
        "binding": [] if limit is None or distance < 0.95 * limit else ["ut-jaccard"],
    }
