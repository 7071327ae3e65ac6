"""K-anonymity by person: the fewest different people who share a quasi-identifier."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from scoring.measure import Measurement, RiskMeasure
from scoring.risk.panel import extreme_groups, panel_of


def person_k_anonymity(table: pd.DataFrame, id: str, qid: Sequence[str]) -> Measurement:
    """Smallest number of *different people* in a quasi-identifier group.

        K = min over groups q of |{persons with a record in q}|

    This is the k-anonymity of a panel (every quasi-identifier is held by at least k different panelists)
    and the PID-based K-anonymity of tables with several records per person. From 1 (0 of an empty table),
    higher is better. The detail lists the smallest groups.

    Reference: Li, Schneider, Yu, Gupta, "Reidentification Risk in Panel Data" (2022), section 4; Tao et al.,
    "Protecting the Publishing Identity in Multiple Tuples" (2008).

    >>> from scoring.examples import eight_patients
    >>> person_k_anonymity(eight_patients(), "name", ["k_group"]).value  # Charlie is alone in group 2
    1.0
    """
    panel = panel_of(table, id, qid)
    people = panel.people_by_group()
    value = float(people.min()) if len(people) else 0.0
    detail = {"groups": panel.n_groups, "smallest": extreme_groups(panel, people, highest=False)}
    return Measurement(value, detail)


PERSON_K_ANONYMITY = RiskMeasure(
    name="person-k-anonymity",
    title="K-anonymity by person",
    meaning="Fewest different people who share a quasi-identifier (k-anonymity of a panel).",
    function=person_k_anonymity,
    low=0.0,
    high=None,
    better="higher",
    reference="Li, Schneider, Yu, Gupta, Reidentification Risk in Panel Data (2022), section 4",
    version=1,
)
