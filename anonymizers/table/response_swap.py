"""`response-swap`: some rows exchange their responses in pairs."""

from __future__ import annotations

import numpy as np
import pandas as pd

from anonymizers.anonymizer import Parameter
from anonymizers.engines.benchmark_steps import partners
from anonymizers.table.by_brand import OTHER_ROLES, RESPONSE_ROLES, changed_by_brand
from anonymizers.table_method import Columns, TableMethod, TableResult


def response_swap(
    table: pd.DataFrame, columns: Columns, rng: np.random.Generator, *, share: float
) -> TableResult:
    """Draw a share of each brand's rows, split them at random into halves, exchange their responses in pairs.

    Subject, price and promotions stay, and so does the multiset of responses of every brand.

    Reference: Schneider et al., "A Flexible Method for Protecting Marketing Data", 2017, Table 1, methods 5
    and 6.
    """
    return changed_by_brand(table, columns, lambda sales: sales[partners(len(sales), share, rng)])


RESPONSE_SWAP = TableMethod(
    name="response-swap",
    title="Swapping of responses",
    meaning="A share of the rows of each brand exchange their responses in random pairs.",
    function=response_swap,
    reference="Schneider et al., 'A Flexible Method for Protecting Marketing Data', Table 1, 5 and 6.",
    version=1,
    parameters=(Parameter("share", "float", 0.2, "Share of the rows that take part.", low=0, high=1),),
    roles=RESPONSE_ROLES,
    optional=OTHER_ROLES,
)
