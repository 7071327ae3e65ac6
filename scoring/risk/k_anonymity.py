"""k-anonymity by record: the fewest records that share a quasi-identifier."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from scoring.measure import Measurement, RiskMeasure
from scoring.risk.panel import extreme_groups, panel_of


def k_anonymity(table: pd.DataFrame, id: str, qid: Sequence[str]) -> Measurement:
    """Smallest number of records in a quasi-identifier group.

        k = min over groups q of |records in q|

    It counts records, not people, so it promises nothing where a person has several; see
    person-k-anonymity. From 1 (0 of an empty table), higher is better. The detail lists the smallest groups.

    Reference: Sweeney, "k-Anonymity: A Model for Protecting Privacy" (2002).

    >>> from scoring.examples import eight_patients
    >>> k_anonymity(eight_patients(), "name", ["k_group"]).value  # Table 3b is 3-anonymous
    3.0
    """
    panel = panel_of(table, id, qid)
    records = panel.records_by_group()
    value = float(records.min()) if len(records) else 0.0
    detail = {"groups": panel.n_groups, "smallest": extreme_groups(panel, records, highest=False)}
    return Measurement(value, detail)


K_ANONYMITY = RiskMeasure(
    name="k-anonymity",
    title="k-anonymity by record",
    meaning="Fewest records that share a quasi-identifier.",
    function=k_anonymity,
    low=0.0,
    high=None,
    better="higher",
    reference="Sweeney, k-Anonymity: A Model for Protecting Privacy (2002)",
    version=1,
)
