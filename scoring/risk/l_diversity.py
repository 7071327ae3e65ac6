"""l-diversity by record: how far the commonest sensitive value is from filling its group."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from scoring.measure import Measurement, RiskMeasure
from scoring.risk.panel import column_names, extreme_groups, panel_of, value_codes


def l_diversity(
    table: pd.DataFrame, id: str, qid: Sequence[str], *, sensitive: str | Sequence[str]
) -> Measurement:
    """Frequency l-diversity of the worst quasi-identifier group, counting records.

    With k records in a group, k_j of them with the sensitive value j:

        l = min over groups of k / max_j k_j.

    From 1, higher is better. Of several sensitive columns the worst counts in each group. It counts records,
    so it promises nothing where a person has several; see h-affiliation. The detail lists the least diverse
    groups.

    Reference: Machanavajjhala et al., "l-Diversity: Privacy Beyond k-Anonymity" (2006), in the form of
    Xiao, Tao, "Anatomy" (2006).

    >>> from scoring.examples import eight_patients
    >>> value = l_diversity(eight_patients(), "name", ["k_group"], sensitive="disease").value
    >>> round(value, 4)  # group 1: two of three records say reflux
    1.5
    """
    panel = panel_of(table, id, qid)
    commonest = np.zeros(panel.n_groups, dtype=np.int64)
    for name in column_names(sensitive):
        codes, labels = value_codes(table, name)
        pairs, counts = np.unique(panel.group * max(len(labels), 1) + codes, return_counts=True)
        np.maximum.at(commonest, pairs // max(len(labels), 1), counts)
    diversity = panel.records_by_group() / np.maximum(commonest, 1)
    value = float(diversity.min()) if len(diversity) else 0.0
    detail = {"groups": panel.n_groups, "least_diverse": extreme_groups(panel, diversity, highest=False)}
    return Measurement(value, detail)


L_DIVERSITY = RiskMeasure(
    name="l-diversity",
    title="l-diversity by record",
    meaning="Records of a group per record with its commonest sensitive value, in the worst group.",
    function=l_diversity,
    low=0.0,
    high=None,
    better="higher",
    reference="Machanavajjhala et al., l-Diversity: Privacy Beyond k-Anonymity (2006)",
    version=1,
    needs=("sensitive",),
)
