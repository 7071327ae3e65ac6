"""`intervals`: dates, prices and quantities widened to a grid, items to sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from anonymizers.anonymizer import Parameter
from datasets.tables import frozen
from games.shop.data.pwscup2018 import SET, ItemCells, Sheet2018
from games.shop.methods import cells2018
from games.shop.methods.anonymizer import Anonymized, Anonymizer


def intervals(
    original: Sheet2018,
    limits: Mapping[str, float],
    rng: np.random.Generator,
    *,
    days: int,
    pence: int,
    pieces: int,
    items: int,
) -> Anonymized:
    """Write dates, prices and quantities as intervals of a fixed grid, and items as sets of a fixed size.

    Items are put into sets by the order of their ids, where neighbours are often variants of one product; the
    last set may be smaller. A width or size of 1 leaves the column as it is.
    """
    release = cells2018.numbered(original, rng)
    release = replace(
        release,
        day=cells2018.intervals(original.day, days, int(original.day.min())),
        price=cells2018.intervals(original.price, pence),
        quantity=cells2018.intervals(original.quantity, pieces),
    )
    if items > 1:
        labels = original.item.labels.tolist()
        groups = tuple(tuple(labels[first : first + items]) for first in range(0, len(labels), items))
        kind = np.full(original.n_rows, SET, dtype=np.uint8)
        release = replace(
            release, item=ItemCells(frozen(kind), frozen(original.item.codes // np.int32(items)), groups)
        )
    widths = {"days": days, "pence": pence, "pieces": pieces, "items": items}
    return Anonymized(release, {"changed": "every cell that is not of width 1", "widths": widths})


INTERVALS = Anonymizer(
    name="intervals",
    title="Intervals and sets",
    meaning="Dates, prices and quantities become intervals of a grid, items sets of neighbours.",
    function=intervals,
    reference="Platform definition v1, in the cells of PWSCUP 2018",
    version=1,
    parameters=(
        Parameter("days", "int", 7, "Width of a date's interval in days.", low=1, high=366),
        Parameter("pence", "int", 100, "Width of a price's interval in hundredths.", low=1, high=100_000),
        Parameter("pieces", "int", 10, "Width of a quantity's interval.", low=1, high=100_000),
        Parameter("items", "int", 10, "Items in a set.", low=1, high=100),
    ),
    format="2018",
)
