"""RFM cells before and after: five squares of frequency by money, one per class of recency, in two rows."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from contest.charts.chart import Chart, Shape, Words, thousands
from contest.charts.heat import Panel, grid_shapes

CLASSES = 5
LEFT, TOP, SIDE, BETWEEN = 62.0, 42.0, 20.0, 14.0
HEIGHT = 330.0


def rfm_squares(name: str, title: str, before: Sequence[int], after: Sequence[int]) -> Chart:
    """Cell (r, f, m), from 0, is at (r·5 + f)·5 + m; money grows upwards, frequency to the right."""
    high = float(max([*before, *after, 1]))
    shapes: list[Shape] = []
    panel = CLASSES * SIDE + BETWEEN
    for row, (words, counts) in enumerate(((_("before"), before), (_("after"), after))):
        y = TOP + row * (CLASSES * SIDE + 28)
        shapes.append(Words(18, y + CLASSES * SIDE / 2, words, "label", upright=True))
        shapes.append(Words(46, y + CLASSES * SIDE / 2, _("money"), upright=True))
        for r in range(CLASSES):
            x = LEFT + r * panel
            values = [
                [counts[(r * CLASSES + f) * CLASSES + m] for f in range(CLASSES)]
                for m in reversed(range(CLASSES))
            ]
            shapes += grid_shapes(Panel(words, values), x, y, SIDE, high)
            if row == 0:
                shapes.append(Words(x + CLASSES * SIDE / 2, TOP - 14, _recency(r), "label"))
            shapes.append(Words(x + CLASSES * SIDE / 2, y + CLASSES * SIDE + 14, _("frequency")))
    rows = [
        (r + 1, f + 1, m + 1, before[at], after[at], after[at] - before[at])
        for r in range(CLASSES)
        for f in range(CLASSES)
        for m in range(CLASSES)
        if before[at := (r * CLASSES + f) * CLASSES + m] or after[at]
    ]
    columns = (
        _("recency class"), _("frequency class"), _("money class"),
        _("customers before"), _("customers after"), _("change"),
    )  # fmt: skip
    return Chart(name, title, _summary(before, after), columns, rows, shapes, HEIGHT)


def _recency(place: int) -> str:
    return (_("bought last"), _("recency 2"), _("recency 3"), _("recency 4"), _("long ago"))[place]


def _summary(before: Sequence[int], after: Sequence[int]) -> str:
    moved = sum(max(0, b - a) for a, b in zip(before, after, strict=True))
    return ngettext(
        "Customers in 125 cells of recency, frequency and money. Cells in use before: %(used)s, after: "
        "%(used_after)s. To get from one picture to the other, %(moved)s customer must change the cell.",
        "Customers in 125 cells of recency, frequency and money. Cells in use before: %(used)s, after: "
        "%(used_after)s. To get from one picture to the other, %(moved)s customers must change their cell.",
        moved,
    ) % thousands(
        used=sum(1 for count in before if count),
        used_after=sum(1 for count in after if count),
        moved=moved,
    )
