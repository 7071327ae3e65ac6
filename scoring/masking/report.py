"""Everything the masking measures say about one masked table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from scoring.masking.margins import margins
from scoring.masking.relations import (
    Coefficients,
    correlations_kept,
    explained_share,
    linear_regression,
    poisson_regression,
    quadratic_regression,
)


def masking_report(
    original: pd.DataFrame, masked: pd.DataFrame, confidential: Sequence[str], given: Sequence[str]
) -> dict[str, Any]:
    """Margins, correlations, regressions and explained share of every numeric confidential column.

    Regressions are on the numeric given columns: linear on all, quadratic on each, Poisson where no value is
    negative and the column counts something. All differences are masked minus original.
    """
    hidden = [name for name in confidential if pd.api.types.is_numeric_dtype(original[name])]
    known = [name for name in given if pd.api.types.is_numeric_dtype(original[name])]
    related = [*hidden, *known]
    columns = {name: _column(original, masked, name, known) for name in hidden}
    kept = {
        kind: _largest(correlations_kept(original, masked, related, kind)) for kind in ("pearson", "spearman")
    }
    return {"columns": columns, "largest_correlation_change": kept if len(related) > 1 else {}}


def _column(original: pd.DataFrame, masked: pd.DataFrame, name: str, known: list[str]) -> dict[str, Any]:
    before, after = original[name].to_numpy(dtype=float), masked[name].to_numpy(dtype=float)
    found = margins(before, after)
    report: dict[str, Any] = {
        "ks": found.ks,
        "moments": found.moments,
        "quantiles": found.quantiles,
        "explained_share": explained_share(before, after),
        "mean_distance": float(np.abs(before - after).mean()),
    }
    if known:
        terms = original[known].astype(float)
        report["linear"] = _both(linear_regression(before, terms), linear_regression(after, terms))
        report["quadratic"] = {
            term: _both(quadratic_regression(before, terms[term]), quadratic_regression(after, terms[term]))
            for term in known
        }
        if before.min() >= 0 and after.min() >= 0 and (before == np.rint(before)).all() and after.max() > 0:
            report["poisson"] = _both(poisson_regression(before, terms), poisson_regression(after, terms))
    return report


def _both(original: Coefficients, masked: Coefficients) -> dict[str, dict[str, float]]:
    return {
        name: {"original": value, "masked": masked.estimates[name], "error": original.errors[name]}
        for name, value in original.estimates.items()
    }


def _largest(changes: pd.DataFrame) -> dict[str, Any]:
    """The pair whose correlation changed most."""
    values = changes.fillna(0).to_numpy()
    row, column = np.unravel_index(np.abs(values).argmax(), values.shape)
    return {"pair": [changes.index[row], changes.columns[column]], "change": float(values[row, column])}
