"""The pairs of people in an original and a release."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from datasets.tables import Integers
from games.shop.data.tables import PurchaseData


def checked_truth(original: PurchaseData, released: PurchaseData, truth: npt.ArrayLike) -> Integers:
    """The truth as an array, after making sure that it pairs every row of M′ with its own row of M."""
    rows = np.asarray(truth, dtype=np.int64)
    if rows.shape != (released.n_customers,):
        raise ValueError(
            f"The truth must have one entry per row of M′, {released.n_customers}. Got {rows.size} instead."
        )
    if rows.size and (rows.min() < 0 or rows.max() >= original.n_customers):
        raise ValueError(
            f"The truth must name 0-based rows of M, 0 to {original.n_customers - 1}. "
            f"Got {rows.min()} to {rows.max()} instead."
        )
    if len(np.unique(rows)) != len(rows):
        raise ValueError("The truth must name no row of M twice.")
    return rows
