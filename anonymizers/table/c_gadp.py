"""`c-gadp`: the copula form of additive perturbation, normal scores with empirical margins."""

from __future__ import annotations

import numpy as np
import pandas as pd

from anonymizers.engines.masking.columns import empirical_cdf
from anonymizers.engines.masking.grid import Floats
from anonymizers.engines.masking.normal import draw_given, numeric_columns
from anonymizers.table.gadp import as_original
from anonymizers.table_method import Columns, TableMethod, TableResult
from arithmetic import covariance


def c_gadp(table: pd.DataFrame, columns: Columns, rng: np.random.Generator) -> TableResult:
    """Turn columns into normal scores z = Φ⁻¹(F(x)), draw as `gadp` does, turn back by the quantiles.

    F is the empirical distribution function less 1 / 2N, so that the largest value has a finite score. Qian
    and Xie do not print their F; of the usual ones this one gives their Table 1.
    Keeps margins and monotone relations of continuous columns; ties and non-monotone relations suffer.
    """
    from scipy.special import ndtr

    prepared, secrets, given = numeric_columns(table, columns)
    scores = np.column_stack([normal_scores(column) for column in secrets.T])
    known = np.column_stack([normal_scores(c) for c in given.T]) if given.shape[1] else given
    moments = covariance(np.column_stack([scores, known]))
    drawn = ndtr(draw_given(scores.mean(axis=0), known, moments, rng))
    released = table.copy()
    for place, secret in enumerate(prepared.secrets):
        values = np.quantile(secret.values, drawn[:, place])
        released[secret.name] = as_original(table[secret.name], secret.values, values)
    return TableResult(released, {"notes": list(prepared.warnings)})


def normal_scores(values: Floats) -> Floats:
    """Φ⁻¹ of the empirical distribution function.

    >>> normal_scores(np.array([1.0, 2.0, 3.0])).round(3).tolist()
    [-0.967, 0.0, 0.967]
    """
    from scipy.special import ndtri

    return np.asarray(ndtri((empirical_cdf(values) * len(values) - 0.5) / len(values)))


C_GADP = TableMethod(
    name="c-gadp",
    title="Copula data perturbation",
    meaning="Draws normal scores given the other columns and maps them back by the empirical quantiles.",
    function=c_gadp,
    reference="Sarathy, Muralidhar and Parsa, 'Perturbing Nonnormal Confidential Attributes', 2002.",
    version=2,
    roles=("confidential",),
    optional=("given",),
)
