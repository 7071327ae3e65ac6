"""unicity: the share of people who hold a quasi-identifier that nobody else holds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from scoring.measure import Measurement, RiskMeasure
from scoring.risk.panel import LIST_LIMIT, panel_of


def unicity(table: pd.DataFrame, id: str, qid: Sequence[str]) -> Measurement:
    """Share of people with at least one unique quasi-identifier (QID).

    With δ_j = 1 if some QID of person j is no QID of anybody else, and m people,

        unicity = (1/m) Σ_j δ_j.

    A QID is one combination of values of the given columns; repeating it oneself does not make it less
    unique. Range 0 to 1, lower is better. The detail gives counts and some of the people at risk.

    Reference: Li, Schneider, Yu, Gupta, "Reidentification Risk in Panel Data: Protecting for k-Anonymity"
    (2022), section 3.1.

    >>> from scoring.examples import four_panelists
    >>> unicity(four_panelists(), "panelist", ["week", "lays", "ruffles"]).value  # Table 1: only A
    0.25
    """
    panel = panel_of(table, id, qid)
    person, group = panel.incidences()
    alone = np.bincount(group, minlength=panel.n_groups) == 1
    unique = np.bincount(person, weights=alone[group], minlength=panel.n_people).astype(np.int64)
    at_risk = np.flatnonzero(unique)
    value = len(at_risk) / panel.n_people if panel.n_people else 0.0
    detail = {
        "people": panel.n_people,
        "people_at_risk": len(at_risk),
        "qids": panel.n_groups,
        "unique_qids": int(alone.sum()),
        "examples": [
            {"person": panel.person_label(code), "unique_qids": int(unique[code])}
            for code in at_risk[np.argsort(-unique[at_risk], kind="stable")][:LIST_LIMIT].tolist()
        ],
    }
    return Measurement(value, detail)


UNICITY = RiskMeasure(
    name="unicity",
    title="Unicity",
    meaning="Share of people who have at least one record like nobody else's.",
    function=unicity,
    low=0.0,
    high=1.0,
    better="lower",
    reference="Li, Schneider, Yu, Gupta, Reidentification Risk in Panel Data (2022), section 3.1",
    version=1,
)
