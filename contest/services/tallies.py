"""Boards that games count: stored by a job, read by pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import F
from django.utils import timezone

from contest.jobs.queue import Claim
from contest.models import GamePackage, Job, Phase, Round, StoredBoard
from contest.models.round import Feedback

Boards = Mapping[StoredBoard.View, Sequence[Mapping[str, Any]]]


def tells_all(round_: Round) -> bool:
    """Whether everybody may see what attacks found: at once, or from the results phase on."""
    if round_.feedback == Feedback.FULL:
        return True
    if round_.awaits_reveal:
        return False
    results = Phase.objects.filter(round=round_, kind=Phase.Kind.RESULTS, starts_at__lte=timezone.now())
    return results.exists()


def counting_fault(round_: Round) -> Job | None:
    """The job in which the game last failed to count the boards; None where it has counted them since."""
    ended = Job.objects.filter(kind=Job.Kind.TALLY, round=round_).exclude(state__in=Job.OPEN)
    last = ended.order_by("-pk").first()
    return last if last is not None and last.state == Job.State.FAILED else None


def record_boards(claim: Claim, round_: Round, game: GamePackage, boards: Boards) -> None:
    """Replace the boards of a round. Pages look again only where what they may show has changed."""
    with claim.finish():
        before = _public_rows(round_)
        if before and before == [_public_row(board) for board in boards[StoredBoard.View.LIVE]]:
            # What everybody sees stays as it is, with its time: that of a hidden event is a secret.
            boards = {view: counted for view, counted in boards.items() if view != StoredBoard.View.LIVE}
        store_boards(round_, game, boards)
        if _public_rows(round_) != before:
            moving = Round.objects.filter(pk=round_.pk, still_since=None)
            moving.update(board_version=F("board_version") + 1)


def store_boards(round_: Round, game: GamePackage, boards: Boards) -> None:
    StoredBoard.objects.filter(round=round_, view__in=list(boards)).delete()
    StoredBoard.objects.bulk_create(
        StoredBoard(
            round=round_, view=view, game=game, counted=round_.full_version, made_at=timezone.now(), **board
        )
        for view, counted in boards.items()
        for board in counted
    )


def _public_rows(round_: Round) -> list[Any]:
    live = StoredBoard.objects.filter(round=round_, view=StoredBoard.View.LIVE)
    return list(live.order_by("position").values_list(*PUBLIC))


PUBLIC = ("name", "columns", "rows", "shown")


def _public_row(board: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(board[name] for name in PUBLIC)
