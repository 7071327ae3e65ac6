"""Boards that stand still: the clock stores what everybody sees, and lets the board go on with the results.

`Round.still_since` is the one fact that all pages ask. It is set in the transaction that stores the board, so
nothing that is judged later is on it, and nothing of an earlier board is hidden.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Iterator, Mapping
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from contest.board.queries import BoardRow, board
from contest.bundle.spans import may_freeze
from contest.errors import Refused
from contest.language.moments import told
from contest.models import Phase, Round, StillBoard, StoredBoard
from contest.models.round import Feedback
from contest.records import audit
from contest.services.board_versions import bump_board
from contest.services.consequence import Consequence
from contest.services.standings_history import record_standing


def require_freezable(round_: Round, changes: Mapping[str, Any]) -> None:
    """Refuse a moment outside the round, and a reveal of what everybody has seen."""
    moment = changes.get("board_frozen_at")
    if moment is not None and not may_freeze(Phase.objects.filter(round=round_), moment):
        raise Refused(
            "freeze-outside",
            _(
                "The board can stand still from a moment within the phases of the round, before its results. "
                "Got %(moment)s instead."
            )
            % {"moment": told(moment, round_.contest.zone)},
        )
    if changes.get("reveal_in_steps") and results_are_due(round_, timezone.now()):
        raise Refused("published", _("The results are public already."))


def results_are_due(round_: Round, now: datetime.datetime | None) -> bool:
    """Whether the results phase has begun: by its time, or by the clock where no time is given."""
    results = Phase.objects.filter(round=round_, kind=Phase.Kind.RESULTS)
    return results.filter(
        **({"opened_at__isnull": False} if now is None else {"starts_at__lte": now})
    ).exists()


def stands_still_at(round_: Round, now: datetime.datetime) -> bool:
    """Whether the board should stand still: from the moment that is named, or from the results on where they
    are revealed in steps, until the results are open to everybody."""
    named = round_.board_frozen_at is not None and round_.board_frozen_at <= now
    if not named and not (round_.awaits_reveal and results_are_due(round_, now)):
        return False
    return round_.awaits_reveal or not results_are_due(round_, None)


def stop_board(round_: Round, now: datetime.datetime) -> None:
    """Store the board that everybody sees now. Call it in a transaction that has locked the round's play."""
    # The history that everybody sees ends with this board.
    record_standing(round_, now)
    shows_attacks = round_.feedback == Feedback.FULL
    rows = board(round_, None, shows_attacks) if round_.game_id is None else []
    StillBoard.objects.filter(round=round_).delete()
    StillBoard.objects.create(
        round=round_, made_at=now, shows_attacks=shows_attacks, rows=[_stored(row) for row in rows]
    )
    if round_.game_id is not None:
        _copy_boards(round_, StoredBoard.View.FINAL if shows_attacks else StoredBoard.View.LIVE)
    bump_board(round_.pk)
    Round.objects.filter(pk=round_.pk).update(still_since=now)
    audit.record("board.stopped", round_, contest=round_.contest, after={"at": now.isoformat()})
    round_.refresh_from_db()


def release_board(round_: Round, now: datetime.datetime) -> None:
    """Let everybody see the board as it is. Call it like `stop_board`."""
    before = {"at": round_.still_since.isoformat() if round_.still_since else ""}
    StillBoard.objects.filter(round=round_).delete()
    StoredBoard.objects.filter(round=round_, view=StoredBoard.View.STILL).delete()
    Round.objects.filter(pk=round_.pk).update(still_since=None)
    bump_board(round_.pk)
    later = Round.objects.filter(contest=round_.contest_id, position__gt=round_.position, game__isnull=False)
    for key in later.order_by("pk").values_list("pk", flat=True):
        bump_board(key)  # Its game may count the boards of earlier rounds.
    audit.record(
        "board.released", round_, contest=round_.contest, before=before, after={"at": now.isoformat()}
    )
    round_.refresh_from_db()


def _stored(row: BoardRow) -> dict[str, Any]:
    """A row as JSON, without what is read again when it is shown: the name of its team."""
    values = dataclasses.asdict(row)
    for name in ("team_name", "is_mine", "entry_url", "change"):
        del values[name]
    return {**values, "received_at": row.received_at.isoformat()}


def _copy_boards(round_: Round, view: StoredBoard.View) -> None:
    StoredBoard.objects.filter(round=round_, view=StoredBoard.View.STILL).delete()
    for stored in StoredBoard.objects.filter(round=round_, view=view).order_by("position"):
        stored.pk, stored.view = None, StoredBoard.View.STILL
        stored._state.adding = True
        stored.save()


def of_freeze(round_: Round, changes: Mapping[str, Any]) -> Iterator[Consequence]:
    """What other settings of the freeze and the reveal would do."""
    if "board_frozen_at" in changes:
        moment = changes["board_frozen_at"]
        if moment is None:
            text = _("The board does not stand still before the results.")
        elif moment <= timezone.now():
            text = _("The board stands still at once, for everybody but organisers.")
        else:
            when = {"when": told(moment, round_.contest.zone)}
            text = _("The board stands still from %(when)s, for everybody but organisers.") % when
        yield Consequence("board-stands-still", 1, text)
    if "reveal_in_steps" in changes:
        if changes["reveal_in_steps"]:
            text = _("The results stay hidden until an organiser has revealed them place by place.")
        else:
            text = _("The results are public as soon as their phase begins, without a reveal.")
        yield Consequence("reveal-in-steps", 1, text)
