"""ut-rows: how far the number of rows moved."""

from __future__ import annotations

import numpy.typing as npt

from games.shop.data.tables import PurchaseData
from scoring.measure import Measure, Measurement


def ut_rows(original: PurchaseData, released: PurchaseData, truth: npt.ArrayLike) -> Measurement:
    """Relative change of the number of rows of T.

        ut-rows = | |T| − |T′| | / |T|

    From 0, lower is better; added and deleted rows can balance, see deleted-rows for those missing. An empty
    T′ scores 1; if T is empty, each row of T′ counts 1. P is not needed.

    Reference: platform definition v1.

    >>> from games.shop.measure_examples import tea_and_cake
    >>> round(ut_rows(*tea_and_cake()).value, 4)  # two rows instead of three
    0.3333
    """
    before, after = original.transactions.n_rows, released.transactions.n_rows
    detail = {"rows": before, "released_rows": after}
    return Measurement(abs(before - after) / max(before, 1), detail)


UT_ROWS = Measure(
    name="ut-rows",
    title="Number of rows",
    meaning="Relative change of the number of rows.",
    function=ut_rows,
    low=0.0,
    high=None,
    better="lower",
    reference="Platform definition v1",
    version=1,
    uses_truth=False,
)
