"""`more-s`: confidential columns shuffled by the ranks of draws from odds-ratio models."""

from __future__ import annotations

import numpy as np
import pandas as pd

from anonymizers.engines.masking.columns import prepare
from anonymizers.engines.masking.ranks import shuffled_rows
from anonymizers.engines.masking.sequence import mask_in_sequence, masking_report
from anonymizers.table.more_p import PARAMETERS, REFERENCE
from anonymizers.table_method import Columns, TableMethod, TableResult


def more_s(
    table: pd.DataFrame,
    columns: Columns,
    rng: np.random.Generator,
    *,
    order: str,
    transform: str,
    decimals: int,
    subsets: int,
    cutoff: float,
) -> TableResult:
    """Shuffle every confidential column so that its ranks follow a draw from the odds-ratio model.

    A draw as `more-p` makes it is ranked, ties in random order, and the row of rank r gets the original value
    of rank r. So the values of every column are kept exactly, each as often as before. EMPD is the draw's.
    """
    prepared = prepare(table, columns, transform, decimals)
    masked = mask_in_sequence(prepared, order, subsets, rng)
    released = table.copy()
    for secret, one in zip(prepared.secrets, masked, strict=True):
        # Small whole numbers sort by counting.
        codes, points = pd.factorize(one.cells, sort=True)
        rows = shuffled_rows(secret.order, codes.astype(np.min_scalar_type(len(points))), rng)
        released[secret.name] = table[secret.name].to_numpy()[rows]
    return TableResult(released, masking_report(masked, prepared, cutoff))


MORE_S = TableMethod(
    name="more-s",
    title="Odds-ratio shuffling",
    meaning="Shuffles confidential values by the ranks of odds-ratio draws; every column's values are kept.",
    function=more_s,
    reference=REFERENCE,
    version=2,
    parameters=PARAMETERS,
    roles=("confidential",),
    optional=("given",),
)
