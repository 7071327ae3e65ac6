"""What a team's own page says: what can be done now and until when, and the state of its entries."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils import timezone

from contest import access
from contest.board import queries
from contest.board.queries import MeasureCell
from contest.models import Entry, Phase, Round, Team
from contest.pages.games.entry import limited_cells
from contest.services.attacks import attacks_of
from contest.services.attempts import count_attempts


@dataclass(frozen=True)
class EntryCard:
    """An entry with its measures against their limits; `binds` is the measure that is nearest to its own."""

    entry: Entry
    cells: list[MeasureCell]
    binds: MeasureCell | None
    can_pin: bool


def round_cards(user: access.Viewer, team: Team) -> list[dict[str, Any]]:
    return [_round_card(team, round_) for round_ in access.rounds_for(user, team.contest)]


def _round_card(team: Team, round_: Round) -> dict[str, Any]:
    now = timezone.now()
    phases = sorted(round_.phases.all(), key=lambda phase: phase.starts_at)
    running = {phase.kind: phase for phase in phases if phase.is_open_at(now)}
    entries = list(Entry.objects.filter(round=round_, team=team))
    return {
        "round": round_,
        "hiding": running.get(Phase.Kind.ANONYMISE),
        "seeking": running.get(Phase.Kind.ATTACK),
        "next_phase": next((phase for phase in phases if phase.starts_at > now), None),
        "upload_url": reverse("upload", args=[team.contest.slug, round_.slug]),
        "seek_url": reverse("seek", args=[team.contest.slug, round_.slug]),
        "attempts": count_attempts(round_, team, now),
        "attacks_left": _attacks_left(round_, team, now),
        "cards": [_entry_card(round_, entry) for entry in entries],
        "show_attacks": access.results_are_public(round_),
    }


def _attacks_left(round_: Round, team: Team, now: datetime.datetime) -> int:
    midnight = now.astimezone(round_.contest.zone).replace(hour=0, minute=0, second=0, microsecond=0)
    mine = attacks_of(round_, team).filter(costs_attempt=True)
    left = [round_.attacks_per_day - mine.filter(created_at__gte=midnight).count()]
    if round_.attacks_in_total is not None:
        left.append(round_.attacks_in_total - mine.count())
    return max(0, min(left))


def _entry_card(round_: Round, entry: Entry) -> EntryCard:
    entry.round = round_
    cells = queries.measure_cells(round_, entry) if round_.game_id is None else limited_cells(round_, entry)
    is_free = entry.state == Entry.State.VALID and not entry.mark and round_.frozen_at is None
    return EntryCard(entry, cells, queries.binding(cells), is_free and not entry.is_pinned)
