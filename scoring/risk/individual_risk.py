"""Individual risk: how likely each person is to be found by snowballing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from scoring.measure import Measurement, RiskMeasure
from scoring.risk.panel import LIST_LIMIT, panel_of

if TYPE_CHECKING:
    from scoring.risk.peeling import Snowball


def individual_risk(table: pd.DataFrame, id: str, qid: Sequence[str]) -> Measurement:
    """Mean over people of the individual re-identification risk IR.

    Person j has N_j distinct quasi-identifiers (QIDs), and M_j of them are unique in the iteration l_j of
    snowballing that finds j (M_j = 0 if none does):

        IR_j = (M_j / N_j) · mean of IR over those found in iteration l_j − 1,  that mean being 1 if l_j = 1.

    Range 0 to 1, lower is better. The detail gives the highest risks, a histogram in ten bins, and the mean
    by iteration.

    Reference: Li, Schneider, Yu, Gupta, "Reidentification Risk in Panel Data: Protecting for k-Anonymity"
    (2022), Definition 2.

    >>> from scoring.examples import four_panelists
    >>> result = individual_risk(four_panelists(), "panelist", ["week", "lays", "ruffles"])
    >>> [(line["person"], round(line["risk"], 4)) for line in result.detail["highest"]]  # 1/3 and 1/9
    [('A', 0.3333), ('B', 0.1111), ('C', 0.1111), ('D', 0.1111)]
    """
    from scoring.risk.peeling import snowball

    panel = panel_of(table, id, qid)
    rolled = snowball(panel)
    risk, means = risks(rolled)
    order = np.argsort(-risk, kind="stable")[:LIST_LIMIT]
    detail = {
        "people": panel.n_people,
        "people_at_risk": int((rolled.iteration > 0).sum()),
        "highest": [
            {
                "person": panel.person_label(code),
                "risk": float(risk[code]),
                "iteration": int(rolled.iteration[code]),
            }
            for code in order.tolist()
        ],
        "histogram": np.histogram(risk, bins=10, range=(0.0, 1.0))[0].tolist(),
        "mean_by_iteration": means[:100],
    }
    return Measurement(math.fsum(risk) / panel.n_people if panel.n_people else 0.0, detail)


def risks(rolled: Snowball) -> tuple[npt.NDArray[np.float64], list[float]]:
    """IR of every person, and its mean by iteration."""
    risk = np.zeros(len(rolled.iteration))
    order = np.argsort(rolled.iteration, kind="stable")
    ends = np.cumsum(np.bincount(rolled.iteration, minlength=1))
    means: list[float] = []
    for level in range(1, len(ends)):
        found = order[ends[level - 1] : ends[level]]
        before = means[-1] if means else 1.0
        risk[found] = rolled.unique[found] / rolled.distinct[found] * before
        means.append(math.fsum(risk[found]) / len(found))
    return risk, means


INDIVIDUAL_RISK = RiskMeasure(
    name="individual-risk",
    title="Individual risk",
    meaning="Mean probability that a person is found by snowballing.",
    function=individual_risk,
    low=0.0,
    high=1.0,
    better="lower",
    reference="Li, Schneider, Yu, Gupta, Reidentification Risk in Panel Data (2022), Definition 2",
    version=1,
)
