"""l-diversity of a panel: the fewest different sensitive values among the holders of a quasi-identifier."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from scoring.measure import Measurement, RiskMeasure
from scoring.pairing import distinct_pairs
from scoring.risk.panel import extreme_groups, panel_of, value_codes


def panel_l_diversity(table: pd.DataFrame, id: str, qid: Sequence[str], *, sensitive: str) -> Measurement:
    """Smallest number of different sensitive values among the records of a quasi-identifier group.

        l = min over quasi-identifiers q of |{s_j : person j holds q}|

    The paper's sensitive attribute belongs to the person; where it varies over a person's records, those of
    the records in the group count. From 1, higher is better. The detail lists the least diverse groups.

    Reference: Li, Schneider, Yu, Gupta, "Reidentification Risk in Panel Data" (2022), constraint (6).

    >>> from scoring.examples import eight_patients
    >>> panel_l_diversity(eight_patients(), "name", ["k_group"], sensitive="disease").value
    2.0
    """
    panel = panel_of(table, id, qid)
    codes, labels = value_codes(table, sensitive)
    pairs = distinct_pairs(panel.group, codes, panel.n_groups, max(len(labels), 1))
    values = np.bincount(pairs // max(len(labels), 1), minlength=panel.n_groups)
    value = float(values.min()) if len(values) else 0.0
    detail = {"groups": panel.n_groups, "least_diverse": extreme_groups(panel, values, highest=False)}
    return Measurement(value, detail)


PANEL_L_DIVERSITY = RiskMeasure(
    name="panel-l-diversity",
    title="l-diversity of a panel",
    meaning="Fewest different sensitive values among those who share a quasi-identifier.",
    function=panel_l_diversity,
    low=0.0,
    high=None,
    better="higher",
    reference="Li, Schneider, Yu, Gupta, Reidentification Risk in Panel Data (2022), constraint (6)",
    version=1,
    needs=("sensitive",),
)
