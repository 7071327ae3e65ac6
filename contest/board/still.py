"""The board of a round that stands still, as it was stored: for everybody but organisers."""

from __future__ import annotations

import datetime
from typing import Any

from contest.board.queries import BoardRow, MeasureCell
from contest.models import Round, StillBoard, Team
from contest.models.round import Feedback


def still_board_of(round_: Round) -> StillBoard | None:
    """What is stored of a board that stands still now, whatever a process remembers of its round."""
    return StillBoard.objects.filter(round=round_).first()


def shows_attacks(round_: Round) -> bool:
    """Whether a board that stands still shows what attacks had found: where a round tells it at once."""
    return round_.feedback == Feedback.FULL


def still_rows(stored: StillBoard) -> list[BoardRow]:
    """The stored rows with the names that the teams have now. They lead to no entry: what was found in one
    since then is hidden."""
    names = dict(
        Team.objects.filter(pk__in=[row["team_id"] for row in stored.rows]).values_list("pk", "name")
    )
    return [_row(row, names[row["team_id"]]) for row in stored.rows if row["team_id"] in names]


def _row(stored: dict[str, Any], name: str) -> BoardRow:
    values = {**stored, "measures": [MeasureCell(**cell) for cell in stored["measures"]]}
    values["received_at"] = datetime.datetime.fromisoformat(stored["received_at"])
    return BoardRow(**values, team_name=name, is_mine=False, entry_url="")


def still_totals(round_: Round) -> dict[int, float | None]:
    """The totals of the teams on a board that stands still; a verdict puts an entry behind all others."""
    stored = still_board_of(round_)
    rows = stored.rows if stored is not None else []
    return {row["team_id"]: None if row["verdict"] else row["total"] for row in rows}
