"""The utility–risk map of a board: safety upwards over the utility score, each entry a point with a link."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _

from contest.board.queries import BoardRow
from contest.charts.chart import Chart
from contest.charts.scatter import Spot, risk_map


def utility_map(rows: Sequence[BoardRow]) -> Chart:
    """The limits are at the left end of the score, where nothing of them is left."""
    return risk_map(
        "map",
        _("Utility and safety of all entries"),
        [spot_of(row, row.utility, row.safety) for row in rows if row.safety is not None],
        x_label=_("Utility, out of 100"),
        higher_is_better=True,
        high=100,
    )


def spot_of(row: BoardRow, x: float, safety: float) -> Spot:
    return Spot(row.team_name, x, safety, row.is_mine, row.is_house, row.entry_url)
