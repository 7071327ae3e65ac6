"""deleted-rows: the share of purchases that customers lost."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from games.shop.data.pairing import checked_truth
from games.shop.data.tables import PurchaseData
from scoring.measure import Measure, Measurement
from scoring.pairing import largest


def deleted_rows(original: PurchaseData, released: PurchaseData, truth: npt.ArrayLike) -> Measurement:
    """Share of the rows of T by which customers have fewer rows than before.

    With a_c and b_c the rows of customer c in T and T′ (0 in T′ for one who vanished):

        deleted-rows = Σ_c max(0, a_c − b_c) / Σ_c a_c

    Rows added to one customer do not make up for rows deleted from another. Range 0 to 1, lower is better.
    The detail lists the customers who lost most.

    Reference: platform definition v1, after E6 of PWSCUP 2017.

    >>> from games.shop.measure_examples import tea_and_cake
    >>> round(deleted_rows(*tea_and_cake()).value, 4)
    0.3333
    """
    people = checked_truth(original, released, truth)
    n = original.n_customers
    before = np.bincount(original.transactions.customer, minlength=n)
    after = np.bincount(people[released.transactions.customer], minlength=n)
    lost = np.maximum(before - after, 0)
    worst = [
        {"customer": original.master.ids[row], "rows": int(before[row]), "released_rows": int(after[row])}
        for row in largest(lost, 10).tolist()
        if lost[row]
    ]
    detail = {"deleted": int(lost.sum()), "added": int(np.maximum(after - before, 0).sum()), "worst": worst}
    return Measurement(int(lost.sum()) / max(original.transactions.n_rows, 1), detail)


DELETED_ROWS = Measure(
    name="deleted-rows",
    title="Deleted rows",
    meaning="Share of the purchases that customers lost.",
    function=deleted_rows,
    low=0.0,
    high=1.0,
    better="lower",
    reference="Platform definition v1",
    version=1,
    uses_truth=True,
)
