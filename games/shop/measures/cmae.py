"""cmae: how far the mean item price of each cluster of customers moved."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy.typing as npt

from games.shop.data.amounts import amounts
from games.shop.data.tables import PurchaseData
from scoring.exact import exact_sums
from scoring.measure import Measure, Measurement

Cluster = tuple[str, str]


def cmae(original: PurchaseData, released: PurchaseData, truth: npt.ArrayLike) -> Measurement:
    """Mean absolute error of the mean price over the clusters of customers by gender and country.

    For a cluster s, a pair (gender, country), with the rows of the customers whom *M* puts in s

        μ(T|s) = Σ price · quantity / Σ quantity,

    and μ(T′|s) the same with T′ and the customers whom *M′* puts in s:

        cmae = (1/|C|) Σ_{s ∈ C} |μ(T|s) − μ(T′|s)|,

    C being the clusters that occur in M or in M′. A cluster that is missing on one side, or that bought
    nothing there, counts as μ = 0 there (platform definition v1). P is not needed.

    From 0, in currency units, lower is better. The detail lists the clusters by error, worst first.

    Reference: Nakagawa, "Anonymization and Re-identification for Personal Transaction Data" (PWSCUP 2016),
    after Kikuchi.

    >>> from games.shop.measure_examples import tea_and_cake
    >>> cmae(*tea_and_cake()).value  # (f, France) from (2·1.5 + 3)/3 = 2 to 1.5, (m, Spain) unchanged
    0.25
    """
    before, after = _mean_prices(original), _mean_prices(released)
    clusters = sorted(before.keys() | after.keys())
    zero = Fraction(0)
    error = {s: float(abs(before.get(s, zero) - after.get(s, zero))) for s in clusters}
    value = math.fsum(error.values()) / len(clusters) if clusters else 0.0
    worst = sorted(clusters, key=lambda s: (-error[s], s))[:20]
    detail = {
        "n_clusters": len(clusters),
        "worst_clusters": [_line(s, before, after, error[s]) for s in worst],
        "only_in_original": len(before.keys() - after.keys()),
        "only_in_release": len(after.keys() - before.keys()),
    }
    return Measurement(value, detail)


def _mean_prices(data: PurchaseData) -> dict[Cluster, Fraction]:
    """μ of every cluster in the master table, in currency units; 0 where the cluster bought nothing."""
    gender, country = data.master.gender, data.master.country
    n_countries = max(country.n_labels, 1)
    cluster = gender.codes.astype("int64") * n_countries + country.codes
    n_cells = gender.n_labels * n_countries
    rows = data.transactions
    of_row = cluster[rows.customer]
    spent = exact_sums(of_row, amounts(rows), n_cells).tolist()
    units = exact_sums(of_row, rows.quantity, n_cells).tolist()
    means = {}
    for cell in sorted(set(cluster.tolist())):
        name = (str(gender.labels[cell // n_countries]), str(country.labels[cell % n_countries]))
        means[name] = Fraction(spent[cell], 100 * units[cell]) if units[cell] else Fraction(0)
    return means


def _line(
    s: Cluster, before: dict[Cluster, Fraction], after: dict[Cluster, Fraction], error: float
) -> dict[str, Any]:
    return {
        "gender": s[0],
        "country": s[1],
        "original": float(before[s]) if s in before else None,
        "released": float(after[s]) if s in after else None,
        "error": error,
    }


CMAE = Measure(
    name="cmae",
    title="Mean price per cluster",
    meaning="Average error of the mean item price over customers grouped by gender and country.",
    function=cmae,
    low=0.0,
    high=None,
    better="lower",
    reference="Nakagawa, Anonymization and Re-identification for Personal Transaction Data (PWSCUP 2016)",
    version=1,
    uses_truth=False,
    unit="currency units",
)
