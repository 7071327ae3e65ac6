"""GIDR: the chance to hit a person by picking a record of the group."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from scoring.measure import Measurement, RiskMeasure
from scoring.risk.panel import LIST_LIMIT, extreme_groups, panel_of


def gidr(table: pd.DataFrame, id: str, qid: Sequence[str] = ()) -> Measurement:
    """Individual-record disclosure risk: MaxGIDR, with AvgGIDR in the detail.

    With f_i records of person i in a quasi-identifier group q:

        IDR_i = f_i / Σ_j f_j,   GIDR_q = max_i IDR_i,
        MaxGIDR = max_q GIDR_q,   AvgGIDR = (1/m) Σ_q GIDR_q over the m groups.

    Range 0 to 1, lower is better. The detail lists the riskiest groups and people.

    Reference: Kartal, Li, "Protecting Privacy When Sharing and Releasing Data with Multiple Records per
    Person" (2020), section 7.

    >>> from scoring.examples import eight_patients
    >>> result = gidr(eight_patients(), "name", ["k_group"])
    >>> result.value, round(result.detail["average"], 4)  # (2/3 + 1 + 1/2 + 5/7) / 4
    (1.0, 0.7202)
    """
    panel = panel_of(table, id, qid)
    n_people = max(panel.n_people, 1)
    pairs, counts = np.unique(panel.group * n_people + panel.person, return_counts=True)
    group, person = np.divmod(pairs, n_people)
    risk = counts / panel.records_by_group()[group]
    by_group = np.zeros(panel.n_groups)
    np.maximum.at(by_group, group, risk)
    detail = {
        "groups": panel.n_groups,
        "average": math.fsum(by_group) / panel.n_groups if panel.n_groups else 0.0,
        "worst": extreme_groups(panel, by_group, highest=True),
        "worst_people": [
            {"person": panel.person_label(person[at]), "idr": float(risk[at])}
            for at in np.argsort(-risk, kind="stable")[:LIST_LIMIT].tolist()
        ],
    }
    return Measurement(float(by_group.max()) if panel.n_groups else 0.0, detail)


GIDR = RiskMeasure(
    name="gidr",
    title="Individual-record disclosure risk",
    meaning="Chance to hit the most exposed person by picking a record of their group.",
    function=gidr,
    low=0.0,
    high=1.0,
    better="lower",
    reference="Kartal, Li, Protecting Privacy … with Multiple Records per Person (JAIS 2020), section 7",
    version=1,
    qid_optional=True,
)
