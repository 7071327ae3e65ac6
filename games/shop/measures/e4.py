"""E4 of 2017: how far dates moved."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from games.shop.data.pwscup2017 import Sheet
from games.shop.measures.sheets import Denominator, divisor, kept_rows
from scoring.measure import Measure, Measurement


def e4(
    original: Sheet,
    released: Sheet,
    truth: npt.ArrayLike | None = None,
    *,
    denominator: Denominator = "all",
) -> Measurement:
    """Mean shift of the date, in months of 31 days.

        E4 = Σ |day′ − day| / (31 · rows)

    over the rows that were not deleted. As the organisers did, ``rows`` counts deleted rows too, so deleting
    dilutes it; ``denominator="kept"`` divides by the kept rows (platform definition v1). Range 0 to 1 (dates
    stay in their month), lower is better. The detail gives the largest shift.

    Reference: Organisers of PWSCUP 2017, utility measures.
    """
    kept = kept_rows(original, released)
    shift = np.abs(released.day[kept].astype(np.int64) - original.day[kept])
    value = int(shift.sum()) / (31 * divisor(original, kept, denominator))
    detail = {"moved_rows": int((shift > 0).sum()), "largest_shift_days": int(shift.max(initial=0))}
    return Measurement(value, detail)


E4 = Measure(
    name="e4",
    title="Date shift",
    meaning="Mean shift of the dates, in months of 31 days.",
    function=e4,
    low=0.0,
    high=1.0,
    better="lower",
    reference="Organisers of PWSCUP 2017, utility measures E4",
    version=1,
    uses_truth=False,
    is_loss=True,
)
