"""Relations kept: correlations and regression coefficients, masked minus original."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from arithmetic import exp, gram, log, product, pseudo_inverse

Floats = npt.NDArray[np.float64]

MAX_STEPS = 100


@dataclass(frozen=True)
class Coefficients:
    """Estimates with their standard errors, by the name of the term; ``const`` is the intercept."""

    estimates: dict[str, float]
    errors: dict[str, float]


def correlations_kept(
    original: pd.DataFrame, masked: pd.DataFrame, columns: Sequence[str], kind: str = "pearson"
) -> pd.DataFrame:
    """Correlations of the masked table minus those of the original; ``kind`` is pearson or spearman.

    >>> table = pd.DataFrame({"a": [1, 2, 3, 4], "b": [1, 2, 3, 5]})
    >>> float(correlations_kept(table, table.assign(b=[5, 3, 2, 1]), ["a", "b"], "spearman").loc["a", "b"])
    -2.0
    """
    names = list(columns)
    return masked[names].corr(method=kind) - original[names].corr(method=kind)  # type: ignore[arg-type]


def linear_regression(values: npt.ArrayLike, terms: pd.DataFrame) -> Coefficients:
    """Least squares with an intercept.

    >>> table = pd.DataFrame({"s": [0.0, 1.0, 2.0]})
    >>> {name: round(value, 6) for name, value in linear_regression([1, 3, 5], table).estimates.items()}
    {'const': 1.0, 's': 2.0}
    """
    x, y = _design(terms), np.asarray(values, dtype=float)
    inverse = pseudo_inverse(gram(x))
    beta = product(inverse, product(x.T, y))
    variance = float(((y - product(x, beta)) ** 2).sum()) / max(len(y) - x.shape[1], 1)
    return _named(terms, beta, inverse * variance)


def quadratic_regression(values: npt.ArrayLike, term: pd.Series) -> Coefficients:
    """Least squares on a column and its square, as for β41 and β42 in 5.3."""
    square = pd.DataFrame({str(term.name): term, f"{term.name}²": term**2})
    return linear_regression(values, square)


def poisson_regression(values: npt.ArrayLike, terms: pd.DataFrame) -> Coefficients:
    """Poisson regression with log link, by Newton's method; values need not be whole, as in the paper.

    >>> table = pd.DataFrame({"s": [0, 0, 1, 1]})
    >>> round(poisson_regression([1, 3, 4, 4], table).estimates["s"], 6) == round(float(np.log(2)), 6)
    True
    """
    x, y = _design(terms), np.asarray(values, dtype=float)
    if y.min() < 0 or y.max() <= 0:
        raise ValueError("Poisson regression needs values from 0 of which one is positive.")
    beta = np.zeros(x.shape[1])
    beta[0] = log(y.mean())
    for _ in range(MAX_STEPS):
        mean = exp(np.minimum(product(x, beta), 300))
        inverse = pseudo_inverse(gram(x, mean))
        step = product(inverse, product(x.T, y - mean))
        reach = float(np.abs(product(x, step)).max())
        # A long first step of Newton's method can overshoot to infinity.
        beta = beta + step / max(1.0, reach / 2)
        if reach < 1e-9:
            break
    return _named(terms, beta, inverse)


def explained_share(original: npt.ArrayLike, masked: npt.ArrayLike) -> float:
    """The share of the original's variance that a line in the masked values explains: R², 0 is safest.

    Two independent columns of n rows still have 1 / (n − 1) on average.

    >>> explained_share([1, 2, 3, 4], [2, 4, 6, 8])
    1.0
    >>> explained_share([1, 2, 1, 2], [5, 5, 5, 5])
    0.0
    """
    x, y = np.asarray(original, dtype=float), np.asarray(masked, dtype=float)
    x, y = x - x.mean(), y - y.mean()
    total = float((x**2).sum() * (y**2).sum())
    return float(product(x, y)) ** 2 / total if total else 0.0


def _design(terms: pd.DataFrame) -> Floats:
    return np.column_stack([np.ones(len(terms)), terms.to_numpy(dtype=float)])


def _named(terms: pd.DataFrame, beta: Floats, covariance: Floats) -> Coefficients:
    names = ["const", *map(str, terms.columns)]
    errors = np.sqrt(np.clip(np.diag(covariance), 0, None))
    return Coefficients(
        dict(zip(names, beta.tolist(), strict=True)), dict(zip(names, errors.tolist(), strict=True))
    )
