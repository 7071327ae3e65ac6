"""Corrections: void, disqualify, give an attempt back. Nothing is deleted; every action has a reason."""

from __future__ import annotations

import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from contest.errors import Refused
from contest.models import Commitment, Entry, Round, Team, User
from contest.records import audit
from contest.records.locks import lock_entries, lock_team
from contest.services.attacks import queue_attacks_on
from contest.services.board_versions import bump_board
from contest.services.commitments import withdraw_commitment
from contest.services.entries import refresh_official


def void_entry(entry: Entry, user: User, reason: str) -> None:
    """Stop counting an entry, without blame; it stays visible, marked as void."""
    _set_mark(entry, user, Entry.Mark.VOID, reason)


def disqualify_entry(entry: Entry, user: User, reason: str) -> None:
    """Stop counting an entry because it broke the rules of the game."""
    _set_mark(entry, user, Entry.Mark.DISQUALIFIED, reason)


def unvoid_entry(entry: Entry, user: User, reason: str) -> None:
    """Remove a mark: the entry counts again as if it had never been marked."""
    _set_mark(entry, user, Entry.Mark.NONE, reason)


def give_attempt_back(entry: Entry, user: User, reason: str) -> None:
    """An entry that suffered from our fault costs its team no attempt."""
    require_reason(reason)
    with transaction.atomic():
        if Entry.objects.filter(pk=entry.pk, costs_attempt=True).update(costs_attempt=False):
            audit.record(
                "entry.attempt_given_back",
                entry,
                contest=entry.round.contest,
                actor=user,
                before={"costs_attempt": True},
                after={"costs_attempt": False},
                reason=reason,
            )
    entry.refresh_from_db()


def _set_mark(entry: Entry, user: User, mark: Entry.Mark, reason: str) -> None:
    require_reason(reason)
    seen = entry.mark
    if seen == mark:
        raise Refused("no-change", _("This entry is marked as %(label)s already.") % {"label": mark.label})
    with transaction.atomic():
        lock_team(entry.team_id)
        lock_entries(entry.round_id, entry.team_id)
        changes: dict[str, Any] = {"mark": mark, "mark_reason": reason if mark else ""}
        if mark:
            # The database knows no official entry with a mark, so both change in one statement.
            changes |= {"is_official": False, "is_pinned": False}
        if not Entry.objects.filter(pk=entry.pk, mark=seen).update(**changes):
            raise Refused("changed-meanwhile", _("Somebody else has changed this entry; look at it again."))
        audit.record(
            "entry.marked" if mark else "entry.unmarked",
            entry,
            contest=entry.round.contest,
            actor=user,
            before={"mark": seen},
            after={"mark": mark.value},
            reason=reason,
        )
        choose_again(entry.round, entry.team)
        count_again(entry.round, timezone.now(), reason)
    entry.refresh_from_db()


def require_reason(reason: str) -> None:
    if not reason.strip():
        raise Refused("no-reason", _("This action needs a reason; it is stored in the log."))
    if len(reason) > 300:
        raise Refused(
            "reason-too-long",
            _("A reason has at most 300 characters. Got %(length)s instead.") % {"length": len(reason)},
        )


def choose_again(round_: Round, team: Team) -> None:
    """Let the team's next best entry count, and be attacked where it has not been. Locked as that needs."""
    refresh_official(round_, Team.objects.get(pk=team.pk))
    for official in Entry.objects.filter(round=round_, team=team, is_official=True).order_by("pk"):
        queue_attacks_on(official)
    bump_board(round_.pk)


def choose_all_again(round_: Round) -> None:
    """Apply the round's rule about which entry counts to all teams. Locked as that needs."""
    for team in Team.objects.filter(pk__in=Entry.objects.filter(round=round_).values("team")).order_by("pk"):
        choose_again(round_, team)


def count_again(round_: Round, now: datetime.datetime, reason: str) -> None:
    """A board that was committed is changed openly: its hash is withdrawn, and the clock makes a new one."""
    if Round.objects.filter(pk=round_.pk, tallied_at__isnull=False).update(tallied_at=None, revealed_at=None):
        withdraw_commitment(round_, Commitment.What.BOARD, now, reason)
