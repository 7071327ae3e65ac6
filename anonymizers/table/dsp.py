"""`dsp`: data shuffling by the ranks of normal-copula draws."""

from __future__ import annotations

import numpy as np
import pandas as pd

from anonymizers.engines.masking.normal import draw_given, numeric_columns, rank_correlations
from anonymizers.engines.masking.ranks import average_ranks, shuffled_rows
from anonymizers.table_method import Columns, TableMethod, TableResult


def dsp(table: pd.DataFrame, columns: Columns, rng: np.random.Generator) -> TableResult:
    """Draw normal scores given the other columns, and shuffle the originals by the ranks of the draws.

    With ρ = 2 sin(π r / 6) of Spearman's r and the scores Φ⁻¹((rank − ½) / N) of the given columns, the row
    whose draw has rank k gets the original value of rank k. Margins are kept exactly.
    """
    from scipy.special import ndtri

    prepared, secrets, given = numeric_columns(table, columns)
    correlations = rank_correlations(np.column_stack([secrets, given]))
    ranks = [average_ranks(column) for column in given.T]
    known = ndtri((np.column_stack(ranks) - 0.5) / len(table)) if ranks else given
    drawn = draw_given(np.zeros(secrets.shape[1]), known, correlations, rng)
    released = table.copy()
    for place, secret in enumerate(prepared.secrets):
        rows = shuffled_rows(secret.order, drawn[:, place], rng)
        released[secret.name] = table[secret.name].to_numpy()[rows]
    return TableResult(released, {"notes": list(prepared.warnings)})


DSP = TableMethod(
    name="dsp",
    title="Data shuffling",
    meaning="Shuffles confidential values by the ranks of normal-copula draws given the other columns.",
    function=dsp,
    reference="Muralidhar and Sarathy, 'Data Shuffling: A New Masking Approach for Numerical Data', 2006.",
    version=2,
    roles=("confidential",),
    optional=("given",),
)
