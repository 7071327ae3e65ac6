"""The anonymizers of contest entries that the house offers, and the one way to run them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from anonymizers.anonymizer import Anonymized, Anonymizer
from anonymizers.entry.aggregate import AGGREGATE
from anonymizers.entry.bayes_synthetic import BAYES_SYNTHETIC_SPENDING
from anonymizers.entry.cluster import CLUSTER
from anonymizers.entry.coarsen import ROUND
from anonymizers.entry.delete import DELETE
from anonymizers.entry.dirichlet import DIRICHLET
from anonymizers.entry.gh_tree_customers import GH_TREE_CUSTOMERS
from anonymizers.entry.identity import IDENTITY
from anonymizers.entry.intervals import INTERVALS
from anonymizers.entry.itemset_clusters import ITEMSET_CLUSTERS
from anonymizers.entry.kmm import KMM_ENTRY
from anonymizers.entry.month_days import MONTH_DAYS
from anonymizers.entry.month_deletions import MONTH_DELETIONS
from anonymizers.entry.month_pseudonyms import MONTH_PSEUDONYMS
from anonymizers.entry.more import MORE_P_ENTRY, MORE_S_ENTRY
from anonymizers.entry.noise import NOISE
from anonymizers.entry.numbers_only import NUMBERS_ONLY
from anonymizers.entry.shuffle import SHUFFLE
from anonymizers.entry.starred_rows import STARRED_ROWS
from anonymizers.entry.swap import SWAP
from anonymizers.entry.topcode import TOPCODE
from anonymizers.entry.year_pseudonyms import YEAR_PSEUDONYMS
from anonymizers.parameters import checked
from anonymizers.release import CannotProtect
from datasets.itemsets import itemset_matrix, paired_jaccard
from datasets.lookup import find_by_name
from datasets.tables import PurchaseData, Release

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
