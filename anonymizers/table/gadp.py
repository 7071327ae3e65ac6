"""`gadp`: general additive data perturbation, confidential values drawn from a multivariate normal."""

from __future__ import annotations

import numpy as np
import pandas as pd

from anonymizers.engines.masking.normal import draw_given, numeric_columns
from anonymizers.table_method import Columns, TableMethod, TableResult
from arithmetic import covariance


def gadp(table: pd.DataFrame, columns: Columns, rng: np.random.Generator) -> TableResult:
    """Draw Y ~ N(μ_x + Σ_xs Σ_ss⁻¹ (s − μ_s), Σ_xx − Σ_xs Σ_ss⁻¹ Σ_sx) with sample means and covariances.

    Keeps means, variances and linear relations; loses the shape of margins and all else. A column of whole
    numbers is rounded, and one without negative values is cut at zero, as Qian and Xie do in 5.1.
    """
    prepared, secrets, given = numeric_columns(table, columns)
    moments = covariance(np.column_stack([secrets, given]))
    drawn = draw_given(secrets.mean(axis=0), given, moments, rng)
    released = table.copy()
    for place, secret in enumerate(prepared.secrets):
        released[secret.name] = as_original(table[secret.name], secret.values, drawn[:, place])
    return TableResult(released, {"notes": list(prepared.warnings)})


def as_original(column: pd.Series, values: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Drawn numbers in the kind of the original column: whole, not negative, or one of its two texts.

    >>> as_original(pd.Series([0, 3]), np.array([0.0, 3.0]), np.array([-0.7, 1.8])).tolist()
    [0, 2]
    """
    if not pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
        labels = np.sort(column.unique())
        return labels[(drawn > 0.5).astype(np.int64)]
    whole = bool((values == np.rint(values)).all())
    result = np.rint(drawn) if whole else drawn
    result = np.maximum(result, 0) if values.min() >= 0 else result
    return result.astype(column.to_numpy().dtype)


GADP = TableMethod(
    name="gadp",
    title="General additive data perturbation",
    meaning="Draws confidential values from a multivariate normal given the other columns.",
    function=gadp,
    reference="Muralidhar, Parsa and Sarathy, 'A General Additive Data Perturbation Method', 1999.",
    version=2,
    roles=("confidential",),
    optional=("given",),
)
