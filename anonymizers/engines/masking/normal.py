"""The conditional draw of the multivariate normal methods: masked values given the other columns."""

from __future__ import annotations

import numpy as np
import pandas as pd

from anonymizers.engines.masking.columns import Prepared, prepare
from anonymizers.engines.masking.grid import Floats
from anonymizers.engines.masking.ranks import average_ranks
from anonymizers.table_method import Columns
from arithmetic import correlations, eigen, product, pseudo_inverse, sine


def numeric_columns(table: pd.DataFrame, columns: Columns) -> tuple[Prepared, Floats, Floats]:
    """The prepared columns with the secrets (rows × secrets) and the predictors (rows × predictors)."""
    prepared = prepare(table, columns, "none", -1)
    secrets = np.column_stack([secret.values for secret in prepared.secrets])
    given = [predictor.values for predictor in prepared.given]
    return prepared, secrets, np.column_stack(given) if given else np.zeros((len(table), 0))


def draw_given(secret_mean: Floats, given: Floats, covariance: Floats, rng: np.random.Generator) -> Floats:
    """Rows of Y ~ N(μ + Σ_xs Σ_ss⁻¹ (s − s̄), Σ_xx − Σ_xs Σ_ss⁻¹ Σ_sx), independent of the originals given s.

    ``covariance`` is that of the secrets, first, and the given columns. Collinear given columns are allowed.
    """
    k = len(secret_mean)
    across, within = covariance[:k, k:], covariance[k:, k:]
    slope = product(across, pseudo_inverse(within)) if within.size else across
    rest = covariance[:k, :k] - product(slope, across.T)
    sizes, axes = eigen((rest + rest.T) / 2)
    spread = axes * np.sqrt(np.clip(sizes, 0, None))
    noise = product(rng.normal(size=(len(given), k)), spread.T)
    return secret_mean + product(given - given.mean(axis=0), slope.T) + noise


def rank_correlations(columns: Floats) -> Floats:
    """The normal copula's correlations 2 sin(π r / 6), r Spearman's, made positive semidefinite.

    >>> rank_correlations(np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 9.0]])).round(6).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    ranks = np.column_stack([average_ranks(column) for column in columns.T])
    copula = 2 * sine(np.pi / 6 * correlations(ranks))
    sizes, axes = eigen(copula)
    if sizes.min() >= 0:
        return copula
    fixed = product(axes * np.clip(sizes, 0, None), axes.T)
    scale = np.sqrt(np.diag(fixed))
    return fixed / np.outer(scale, scale)
