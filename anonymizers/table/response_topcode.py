"""`response-topcode`: extreme responses are cut."""

from __future__ import annotations

import numpy as np
import pandas as pd

from anonymizers.anonymizer import Parameter
from anonymizers.table.by_brand import OTHER_ROLES, RESPONSE_ROLES, changed_by_brand
from anonymizers.table_method import Columns, TableMethod, TableResult


def response_topcode(
    table: pd.DataFrame, columns: Columns, rng: np.random.Generator, *, percentile: float
) -> TableResult:
    """Cut responses above a percentile of their brand down to it: S′ = min(S, Q_p(S)).

    Reference: Schneider et al., "A Flexible Method for Protecting Marketing Data", 2017, Table 1, method 4.
    """
    return changed_by_brand(
        table,
        columns,
        lambda sales: np.minimum(sales, np.percentile(sales, percentile, method="lower")),
    )


RESPONSE_TOPCODE = TableMethod(
    name="response-topcode",
    title="Top coding of a response",
    meaning="Responses above a percentile of their brand are cut down to it.",
    function=response_topcode,
    reference="Schneider et al., 'A Flexible Method for Protecting Marketing Data', Table 1, 4.",
    version=1,
    parameters=(
        Parameter("percentile", "float", 95.0, "Responses above this percentile are cut.", low=1, high=100),
    ),
    roles=RESPONSE_ROLES,
    optional=OTHER_ROLES,
)
