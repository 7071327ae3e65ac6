"""`response-round`: a response on a coarse grid."""

from __future__ import annotations

import numpy as np
import pandas as pd

from anonymizers.anonymizer import Parameter
from anonymizers.table.by_brand import OTHER_ROLES, RESPONSE_ROLES, changed_by_brand
from anonymizers.table_method import Columns, TableMethod, TableResult


def response_round(
    table: pd.DataFrame, columns: Columns, rng: np.random.Generator, *, step: float
) -> TableResult:
    """Round every response to the nearest multiple of the step: S′ = step · max(1, ⌊S/step + ½⌋).

    What would become 0 becomes one step, since the logarithm of the response is modelled.

    Reference: Schneider et al., "A Flexible Method for Protecting Marketing Data", 2017, Table 1, method 3.
    """
    return changed_by_brand(table, columns, lambda sales: step * np.maximum(np.floor(sales / step + 0.5), 1))


RESPONSE_ROUND = TableMethod(
    name="response-round",
    title="Rounding of a response",
    meaning="Every response is rounded to a multiple of a step, to hundreds by default.",
    function=response_round,
    reference="Schneider et al., 'A Flexible Method for Protecting Marketing Data', Table 1, 3.",
    version=1,
    parameters=(
        Parameter("step", "float", 100.0, "Responses become multiples of this.", low=1e-6, high=1e9),
    ),
    roles=RESPONSE_ROLES,
    optional=OTHER_ROLES,
)
