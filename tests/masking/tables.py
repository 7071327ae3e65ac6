"""Tables that the masking tests share."""

from __future__ import annotations

import numpy as np
import pandas as pd

from arithmetic import exp
from tests.chance import correlated

COLUMNS = {"confidential": ["X1", "X2", "X3"], "given": ["S1", "S2"]}


def consumers(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """The simulated consumers of Qian and Xie 5.1: income, age; log expenses, coupons, transactions."""
    normal = correlated(rng, np.full((3, 3), 0.5) + 0.5 * np.eye(3), n)
    income = normal[:, 0]
    return pd.DataFrame(
        {
            "S1": income,
            "S2": normal[:, 1],
            "X1": normal[:, 2],
            "X2": income**2 + rng.normal(size=n),
            "X3": rng.poisson(exp(income)),
        }
    )
