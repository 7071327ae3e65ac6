"""sno-unicity: the share of people who can be singled out by snowballing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from scoring.measure import Measurement, RiskMeasure
from scoring.risk.panel import LIST_LIMIT, panel_of


def sno_unicity(table: pd.DataFrame, id: str, qid: Sequence[str]) -> Measurement:
    """Share of people who become unique once those found before them are taken away.

    Iteration l finds δ_j^(l) = 1 for everybody who holds a quasi-identifier (QID) that nobody else among
    those left holds; they leave with all their records; this goes on until nobody is found:

        sno-unicity = (1/m) Σ_l Σ_j δ_j^(l).

    Range 0 to 1, never below unicity, lower is better. The detail counts the people found in each iteration
    and names the first. The graph of people and QIDs is peeled with a queue, in time linear in its edges.

    Reference: Li, Schneider, Yu, Gupta, "Reidentification Risk in Panel Data: Protecting for k-Anonymity"
    (2022), Definition 1.

    >>> from scoring.examples import four_panelists
    >>> result = sno_unicity(four_panelists(), "panelist", ["week", "lays", "ruffles"])
    >>> result.value, result.detail["found_by_iteration"]  # Table 1: A, then B and C, then D
    (1.0, [1, 2, 1])
    """
    from scoring.risk.peeling import snowball

    panel = panel_of(table, id, qid)
    iteration = snowball(panel).iteration
    found = np.bincount(iteration, minlength=1)
    first = np.argsort(iteration, kind="stable")[found[0] :][:LIST_LIMIT].tolist()
    at_risk = panel.n_people - int(found[0])
    value = at_risk / panel.n_people if panel.n_people else 0.0
    detail = {
        "people": panel.n_people,
        "people_at_risk": at_risk,
        "qids": panel.n_groups,
        "iterations": len(found) - 1,
        "found_by_iteration": found[1:101].tolist(),
        "unicity": int(found[1]) / panel.n_people if len(found) > 1 else 0.0,
        "first_found": [
            {"person": panel.person_label(code), "iteration": int(iteration[code])} for code in first
        ],
    }
    return Measurement(value, detail)


SNO_UNICITY = RiskMeasure(
    name="sno-unicity",
    title="Snowballing unicity",
    meaning="Share of people who can be singled out once those found before are removed.",
    function=sno_unicity,
    low=0.0,
    high=1.0,
    better="lower",
    reference="Li, Schneider, Yu, Gupta, Reidentification Risk in Panel Data (2022), Definition 1",
    version=1,
)
