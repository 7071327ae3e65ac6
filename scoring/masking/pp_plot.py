"""The points of a PP plot: two distribution functions against each other."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def pp_plot(original: npt.ArrayLike, masked: npt.ArrayLike, points: int = 200) -> tuple[Floats, Floats]:
    """F_original and F_masked at the same values; on the diagonal where the margins agree (Figure 3).

    At most ``points`` values are taken, evenly spread over the ranks of both columns together.

    >>> before, after = pp_plot([1, 2, 3, 4], [1, 1, 3, 4])
    >>> before.tolist(), after.tolist()
    ([0.25, 0.5, 0.75, 1.0], [0.5, 0.5, 0.75, 1.0])
    """
    first, second = (np.sort(np.asarray(column, dtype=float)) for column in (original, masked))
    values = np.unique(np.concatenate([first, second]))
    if len(values) > points:
        values = values[np.linspace(0, len(values) - 1, points).astype(np.int64)]
    return (
        np.searchsorted(first, values, side="right") / len(first),
        np.searchsorted(second, values, side="right") / len(second),
    )
