"""`panel-cluster`: in every period, clusters of at least k panelists show the same units."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
from scipy import sparse

from anonymizers.anonymizer import Parameter
from anonymizers.engines.benchmark_steps import equal_groups
from anonymizers.release import CannotProtect
from anonymizers.table.panel_records import MIX, REFERENCE, Records, group_sums, records_of, with_units
from anonymizers.table_method import Columns, TableMethod, TableResult
from datasets.tables import Integers


def panel_cluster(
    table: pd.DataFrame, columns: Columns, rng: np.random.Generator, *, k: int = 5, combine: str = "sum"
) -> TableResult:
    """Form m_t = max(1, ⌊n_t / k⌋) nearly equal clusters of the n_t panelists of every period t.

    Panelists are near each other if their units by brand in the period are. Every record of a cluster then
    shows the cluster's units, added up over its records (``sum``, as Appendix E says) or divided by their
    number and rounded (``mean``, which keeps the level of sales), and the mean of each column of the roles
    price and promotions. Records stay with their panelist and period.

    A period with fewer than k panelists makes one smaller cluster, so it cannot be k-anonymous; the report
    counts the panelists this concerns. Without a period the whole table is one.

    Reference: Li, Schneider, Yu, Gupta, "Reidentification Risk in Panel Data" (2022), Table 6, Appendix E.

    >>> panel = pd.DataFrame({"who": list("ABCD"), "week": [1, 1, 1, 1], "tea": [1, 9, 2, 8]})
    >>> columns = {"id": "who", "qid": "tea", "period": "week"}
    >>> panel_cluster(panel, columns, np.random.default_rng(0), k=2).table["tea"].tolist()
    [3, 17, 3, 17]
    """
    records = records_of("panel-cluster", table, columns)
    people = int(records.person.max()) + 1
    if people < k:
        raise CannotProtect(
            f"The 'k' parameter of panel-cluster must be at most the number of people, {people}. "
            f"Got {k} instead."
        )
    cluster, too_few = _clusters(records, k, rng)
    n = int(cluster.max()) + 1
    size = np.bincount(cluster, minlength=n)
    units = group_sums(records.units, cluster, n)
    if combine == "mean":
        units = np.rint(units / size[:, None])
    released = with_units(table, records, units[cluster])
    for name in records.mix:
        released[name] = (np.bincount(cluster, table[name].to_numpy(dtype=np.float64), n) / size)[cluster]
    return TableResult(released, {"records": len(table), "clusters": n, "panelist_periods_below_k": too_few})


def _clusters(records: Records, k: int, rng: np.random.Generator) -> tuple[Integers, int]:
    """The cluster of every record, and for how many pairs of panelist and period it is below k."""
    cluster = np.empty(len(records.person), dtype=np.int64)
    order = np.argsort(records.period, kind="stable")
    bounds = np.flatnonzero(np.diff(records.period[order], prepend=-1, append=records.period.max() + 1))
    n_clusters = too_few = 0
    for first, last in pairwise(bounds.tolist()):
        chosen = order[first:last]
        people, place = np.unique(records.person[chosen], return_inverse=True)
        units = group_sums(records.units[chosen], place, len(people))
        group = equal_groups(sparse.csr_matrix(units), k, rng)
        cluster[chosen] = n_clusters + group[place]
        n_clusters += int(group.max()) + 1
        too_few += len(people) if len(people) < k else 0
    return cluster, too_few


PANEL_CLUSTER = TableMethod(
    name="panel-cluster",
    title="Clustering of a panel",
    meaning="In every period, clusters of at least k panelists show the same units by brand.",
    function=panel_cluster,
    reference=f"{REFERENCE}, Table 6 and Appendix E",
    version=1,
    parameters=(
        Parameter("k", "int", 5, "The least number of panelists per cluster.", low=2),
        Parameter(
            "combine",
            "choice",
            "sum",
            "Units of a record: the cluster's sum or its mean.",
            choices=("sum", "mean"),
        ),
    ),
    optional=("period", *MIX),
)
