"""E5 of 2017: how far prices moved."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from games.shop.data.pwscup2017 import Sheet
from games.shop.measures.sheets import Denominator, divisor, kept_rows
from scoring.measure import Measure, Measurement


def e5(
    original: Sheet,
    released: Sheet,
    truth: npt.ArrayLike | None = None,
    *,
    denominator: Denominator = "all",
) -> Measurement:
    """Mean relative change of the unit price.

        E5 = Σ (1 − min(price, price′) / max(price, price′)) / rows

    over the rows that were not deleted. As the organisers did, ``rows`` counts deleted rows too, so deleting
    dilutes it; ``denominator="kept"`` divides by the kept rows (platform definition v1). Range 0 to 1, lower
    is better. The detail gives the number of changed prices.

    Reference: Organisers of PWSCUP 2017, utility measures.
    """
    kept = kept_rows(original, released)
    low = np.minimum(original.price[kept], released.price[kept])
    high = np.maximum(original.price[kept], released.price[kept])
    change = np.divide(high - low, high, out=np.zeros(len(kept)), where=high > 0)
    value = math.fsum(change) / divisor(original, kept, denominator)
    return Measurement(value, {"changed_rows": int((change > 0).sum())})


E5 = Measure(
    name="e5",
    title="Price ratio",
    meaning="Mean relative change of the unit prices.",
    function=e5,
    low=0.0,
    high=1.0,
    better="lower",
    reference="Organisers of PWSCUP 2017, utility measures E5",
    version=1,
    uses_truth=False,
    is_loss=True,
)
