"""h-affiliation: the share of a group's people who share one sensitive value."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from scoring.measure import Measurement, RiskMeasure
from scoring.pairing import distinct_pairs
from scoring.risk.panel import Panel, column_names, extreme_groups, panel_of, value_codes


def h_affiliation(
    table: pd.DataFrame, id: str, qid: Sequence[str] = (), *, sensitive: str | Sequence[str]
) -> Measurement:
    """h-affiliation of the worst quasi-identifier group, or of the whole table without any.

    With n_t people in a group t, n_j of whom have the sensitive value j in some record:

        h(t) = max_j n_j / n_t   (5)

    The value is the maximum over groups, and over columns where several are sensitive. Range 1/n_t to 1,
    lower is better. The detail lists the worst groups.

    Reference: Kartal, Li, "Protecting Privacy When Sharing and Releasing Data with Multiple Records per
    Person" (2020), Definition 3.

    >>> from scoring.examples import eight_patients
    >>> h_affiliation(eight_patients(), "name", sensitive="disease").value
    0.375
    """
    panel = panel_of(table, id, qid)
    affiliation = group_affiliations(table, panel, column_names(sensitive))
    value = float(affiliation.max()) if len(affiliation) else 0.0
    detail = {"groups": panel.n_groups, "worst": extreme_groups(panel, affiliation, highest=True)}
    return Measurement(value, detail)


def group_affiliations(
    table: pd.DataFrame, panel: Panel, sensitive: Sequence[str]
) -> npt.NDArray[np.float64]:
    """h of every group, the largest over the sensitive columns."""
    people = np.maximum(panel.people_by_group(), 1)
    worst = np.zeros(panel.n_groups)
    for name in sensitive:
        codes, labels = value_codes(table, name)
        n_values = max(len(labels), 1)
        n_people = max(panel.n_people, 1)
        value_of_group = panel.group * n_values + codes
        having = distinct_pairs(value_of_group, panel.person, panel.n_groups * n_values, n_people)
        pairs, counts = np.unique(having.astype(np.int64) // n_people, return_counts=True)
        commonest = np.zeros(panel.n_groups, dtype=np.int64)
        np.maximum.at(commonest, pairs // n_values, counts)
        worst = np.maximum(worst, commonest / people)
    return worst


H_AFFILIATION = RiskMeasure(
    name="h-affiliation",
    title="h-affiliation",
    meaning="Largest share of a group whose people share a sensitive value.",
    function=h_affiliation,
    low=0.0,
    high=1.0,
    better="lower",
    reference="Kartal, Li, Protecting Privacy … with Multiple Records per Person (JAIS 2020), Definition 3",
    version=1,
    needs=("sensitive",),
    qid_optional=True,
)
