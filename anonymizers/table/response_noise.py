"""`response-noise`: random noise on a response, with the spread of its decile."""

from __future__ import annotations

import numpy as np
import pandas as pd

from anonymizers.anonymizer import Parameter
from anonymizers.engines.benchmark_steps import spread_of_decile
from anonymizers.table.by_brand import OTHER_ROLES, RESPONSE_ROLES, Floats, changed_by_brand
from anonymizers.table_method import Columns, TableMethod, TableResult


def response_noise(
    table: pd.DataFrame, columns: Columns, rng: np.random.Generator, *, scale: float
) -> TableResult:
    """Add N(0, (scale · s_b)²) to every response, s_b the standard deviation of its decile b, by brand.

    Nothing falls below the brand's smallest response, so that logarithms stay defined.

    Reference: Schneider et al., "A Flexible Method for Protecting Marketing Data", 2017, Table 1, method 2.
    """

    def noisy(sales: Floats) -> Floats:
        drawn = sales + scale * spread_of_decile(sales) * rng.normal(size=len(sales))
        return np.maximum(drawn, sales.min())

    return changed_by_brand(table, columns, noisy)


RESPONSE_NOISE = TableMethod(
    name="response-noise",
    title="Random noise on a response",
    meaning="Normal noise on every response, with the spread of its decile.",
    function=response_noise,
    reference="Schneider et al., 'A Flexible Method for Protecting Marketing Data', Table 1, 2.",
    version=1,
    parameters=(
        Parameter("scale", "float", 1.0, "Noise in standard deviations of the decile.", low=0, high=10),
    ),
    roles=RESPONSE_ROLES,
    optional=OTHER_ROLES,
)
