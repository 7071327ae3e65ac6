"""Alternatives: from which of its data a team plays, where the game gives it several."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from contest.errors import Refused
from contest.models import Entry, Phase, Round, Seat, Team, User
from contest.play.table import Table
from contest.records import audit
from contest.records.locks import lock_team
from contest.services.seats import require_built, require_variant, seat_for
from contest.services.teams import require_playing


def choose_variant(round_: Round, team: Team, user: User, variant: int) -> Seat:
    """Let a team choose from which of its alternatives it plays. Everybody may know; it may change its mind
    until it hands in."""
    with transaction.atomic():
        lock_team(team.pk)
        require_playing(team)
        require_built(round_)
        seat = seat_for(round_, team)
        require_variant(Table(round_).declared, variant)
        if Entry.objects.filter(round=round_, team=team).exists():
            raise Refused("handed-in", _("Your team has handed in already; its choice stays as it is."))
        _require_hiding(round_)
        before, seat.choice = seat.choice, variant
        seat.save(update_fields=["choice"])
        audit.record(
            "seat.chosen",
            seat,
            contest=round_.contest,
            actor=user,
            before={"choice": before},
            after={"team": team.name, "choice": variant},
        )
    return seat


def _require_hiding(round_: Round) -> None:
    now = timezone.now()
    hiding = Phase.objects.filter(round=round_, kind=Phase.Kind.ANONYMISE, closed_at=None)
    if not hiding.filter(starts_at__lte=now, ends_at__gt=now).exists():
        raise Refused("phase-closed", _("The choice can be made only while the anonymise phase is open."))
