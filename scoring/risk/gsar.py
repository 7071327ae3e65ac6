"""GSAR: the chance that a person of the group has its commonest sensitive value."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from scoring.measure import Measurement, RiskMeasure
from scoring.risk.h_affiliation import group_affiliations
from scoring.risk.panel import column_names, extreme_groups, panel_of


def gsar(
    table: pd.DataFrame, id: str, qid: Sequence[str] = (), *, sensitive: str | Sequence[str]
) -> Measurement:
    """Sensitive-attribute disclosure risk: MaxGSAR, with AvgGSAR in the detail.

    With k people in a quasi-identifier group q, n_j of whom have the sensitive value j:

        SAR_j = n_j / k,   GSAR_q = max_j SAR_j,
        MaxGSAR = max_q GSAR_q,   AvgGSAR = (1/m) Σ_q GSAR_q over the m groups.

    Range 0 to 1, lower is better; MaxGSAR is the h-affiliation of the worst group. Of several sensitive
    columns the worst counts in each group.

    Reference: Kartal, Li, "Protecting Privacy When Sharing and Releasing Data with Multiple Records per
    Person" (2020), section 8.

    >>> from scoring.examples import eight_patients
    >>> result = gsar(eight_patients(), "name", ["gh_group"], sensitive="disease")
    >>> result.value, result.detail["average"]  # Table 6b keeps h* = 0.5 in every group
    (0.5, 0.5)
    """
    panel = panel_of(table, id, qid)
    by_group = group_affiliations(table, panel, column_names(sensitive))
    detail = {
        "groups": panel.n_groups,
        "average": math.fsum(by_group) / panel.n_groups if panel.n_groups else 0.0,
        "worst": extreme_groups(panel, by_group, highest=True),
    }
    return Measurement(float(by_group.max()) if panel.n_groups else 0.0, detail)


GSAR = RiskMeasure(
    name="gsar",
    title="Sensitive-attribute disclosure risk",
    meaning="Largest share of a group that a sensitive value can be pinned on.",
    function=gsar,
    low=0.0,
    high=1.0,
    better="lower",
    reference="Kartal, Li, Protecting Privacy … with Multiple Records per Person (JAIS 2020), section 8",
    version=1,
    needs=("sensitive",),
    qid_optional=True,
)
