"""Counting the boards of a round that is played by a game, from all stored results."""

from __future__ import annotations

from contest.jobs.queue import Claim
from contest.models import Round
from contest.models.round import BuildState
from contest.models.stored_board import StoredBoard
from contest.play.counting import counted_boards
from contest.play.table import Table
from contest.services import tallies


def tally(claim: Claim) -> None:
    """One call with what may be told already, one with everything."""
    related = ("contest", "dataset", "game")
    round_ = Round.objects.select_related(*related).get(jobs=claim.job)
    if round_.game is None or round_.build_state != BuildState.READY:
        with claim.finish():
            return
    table = Table(round_)
    final = counted_boards(table, everything=True)
    live = final if tallies.tells_all(round_) else counted_boards(table, everything=False)
    boards = {StoredBoard.View.LIVE: live, StoredBoard.View.FINAL: final}
    tallies.record_boards(claim, round_, round_.game, boards)
