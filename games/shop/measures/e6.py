"""E6 of 2017: the share of deleted rows."""

from __future__ import annotations

import numpy.typing as npt

from games.shop.data.pwscup2017 import Sheet
from games.shop.measures.sheets import kept_rows
from scoring.measure import Measure, Measurement


def e6(original: Sheet, released: Sheet, truth: npt.ArrayLike | None = None) -> Measurement:
    """Share of rows that were deleted, rounded to four digits as the organisers did.

        E6 = round(1 − kept / rows, 4)

    Range 0 to 1, lower is better. The detail gives the counts.

    Reference: Organisers of PWSCUP 2017, utility measures.
    """
    kept = len(kept_rows(original, released))
    value = round(1 - kept / original.n_rows, 4) if original.n_rows else 0.0
    return Measurement(value, {"rows": original.n_rows, "deleted": original.n_rows - kept})


E6 = Measure(
    name="e6",
    title="Deleted rows",
    meaning="Share of the rows of T that were deleted.",
    function=e6,
    low=0.0,
    high=1.0,
    better="lower",
    reference="Organisers of PWSCUP 2017, utility measures E6",
    version=1,
    uses_truth=False,
    is_loss=True,
)
