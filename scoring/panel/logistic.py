"""Plain logistic regression with standard errors, for a handful of columns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from arithmetic import eigen, exp, gram, inverse, product, rank, solve

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Logistic:
    """Estimates by name, the intercept first."""

    names: tuple[str, ...]
    estimate: Floats
    error: Floats

    def rows(self) -> list[dict[str, Any]]:
        """One line per coefficient: estimate, standard error, z and two-sided p."""
        lines = []
        for name, estimate, error in zip(
            self.names, self.estimate.tolist(), self.error.tolist(), strict=True
        ):
            z = estimate / error
            lines.append(
                {"name": name, "estimate": estimate, "error": error, "z": z, "p": math.erfc(abs(z) / 2**0.5)}
            )
        return lines


def logistic(outcome: npt.NDArray[np.bool_], columns: dict[str, Floats]) -> Logistic | None:
    """Maximum likelihood by Newton's method; None where it does not exist.

    That is so where a column is a constant or a combination of others, or where some combination separates
    the outcomes without error.
    """
    design = np.column_stack([np.ones(len(outcome)), *columns.values()])
    scale = np.maximum(np.abs(design).max(axis=0), 1e-300)
    design = design / scale
    y = outcome.astype(np.float64)
    if y.min(initial=1.0) == y.max(initial=0.0) or rank(design) < design.shape[1]:
        return None
    beta = np.zeros(design.shape[1])
    for _ in range(50):
        chance = 1.0 / (1.0 + exp(-np.clip(product(design, beta), -500, 500)))
        information = gram(design, chance * (1 - chance))
        sizes = eigen(information)[0]
        if not sizes[-1] <= 1e12 * sizes[0]:
            return None
        step = solve(information, product(design.T, y - chance))
        beta += step
        if np.abs(step).max() < 1e-9:
            error = np.sqrt(np.diag(inverse(information)))
            return Logistic(("intercept", *columns), beta / scale, error / scale)
    return None
