"""What a team's own page says: what can be done now and until when, and the state of its entries."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils import timezone

from contest import access
from contest.board import queries
from contest.board.board_cache import board_of, shows_attacks
from contest.board.official import useful_of
from contest.board.queries import MeasureCell
from contest.models import Entry, Phase, Round, Team
from contest.pages.games.entry import limited_cells, places_on_boards
from contest.services.attacks import attacks_of
from contest.services.attempts import count_attempts


@dataclass(frozen=True)
class EntryCard:
    """An entry with its measures against their limits; `binds` is the measure that is nearest to its own."""

    entry: Entry
    cells: list[MeasureCell]
    binds: MeasureCell | None
    can_pin: bool
    is_best: bool
    total: float | None
    place: int | None
    has_upload: bool


def round_cards(user: access.Viewer, team: Team) -> list[dict[str, Any]]:
    return [_round_card(user, team, round_) for round_ in access.rounds_for(user, team.contest)]


def _round_card(user: access.Viewer, team: Team, round_: Round) -> dict[str, Any]:
    now = timezone.now()
    phases = sorted(round_.phases.all(), key=lambda phase: phase.starts_at)
    running = {phase.kind: phase for phase in phases if phase.is_open_at(now)}
    entries = list(Entry.objects.filter(round=round_, team=team))
    for entry in entries:
        entry.round, entry.team = round_, team
    # A board that stands still hides what was found in others' entries, not in the team's own.
    show_attacks = shows_attacks(round_)
    places = _places(user, entries, show_attacks)
    return {
        "round": round_,
        "hides": any(phase.kind == Phase.Kind.ANONYMISE for phase in phases),
        "hiding": running.get(Phase.Kind.ANONYMISE),
        "seeking": running.get(Phase.Kind.ATTACK),
        "next_phase": next((phase for phase in phases if phase.starts_at > now), None),
        "upload_url": reverse("upload", args=[team.contest.slug, round_.slug]),
        "seek_url": reverse("seek", args=[team.contest.slug, round_.slug]),
        "attempts": count_attempts(round_, team, now),
        "attacks_left": _attacks_left(round_, team, now),
        "cards": [_entry_card(entry, _best(entries), places, show_attacks) for entry in entries],
        "entries": sorted(entries, key=lambda entry: entry.number),
        "show_attacks": show_attacks,
    }


def _attacks_left(round_: Round, team: Team, now: datetime.datetime) -> int:
    midnight = now.astimezone(round_.contest.zone).replace(hour=0, minute=0, second=0, microsecond=0)
    mine = attacks_of(round_, team).filter(costs_attempt=True)
    left = [round_.attacks_per_day - mine.filter(created_at__gte=midnight).count()]
    if round_.attacks_in_total is not None:
        left.append(round_.attacks_in_total - mine.count())
    return max(0, min(left))


def _entry_card(entry: Entry, best: set[int], places: dict[int, int], show_attacks: bool) -> EntryCard:
    round_ = entry.round
    has_format = round_.game_id is None
    cells = queries.measure_cells(round_, entry) if has_format else limited_cells(round_, entry)
    is_free = entry.state == Entry.State.VALID and not entry.mark and round_.frozen_at is None
    has_total = has_format and show_attacks and entry.state == Entry.State.VALID
    return EntryCard(
        entry,
        cells,
        queries.binding(cells),
        is_free and not entry.is_pinned,
        entry.pk in best,
        queries.total_of(entry) if has_total else None,
        places.get(entry.pk),
        access.has_own_upload(entry),
    )


def _best(entries: list[Entry]) -> set[int]:
    """The most useful valid entry of each slot, where there is something to choose from."""
    valid = [entry for entry in entries if entry.state == Entry.State.VALID and not entry.mark]
    found: dict[str, Entry] = {}
    for entry in sorted(valid, key=lambda entry: entry.number):
        useful, before = useful_of(entry.round, entry), found.get(entry.slot)
        known = useful_of(before.round, before) if before else None
        if useful is not None and (known is None or useful >= known):
            found[entry.slot] = entry
    return {entry.pk for entry in found.values()}


def _places(user: access.Viewer, entries: list[Entry], show_attacks: bool) -> dict[int, int]:
    """The places of the entries that count, as far as everybody sees them."""
    official = [entry for entry in entries if entry.is_official and not entry.is_brought]
    if not official:
        return {}
    round_ = official[0].round
    if round_.game_id is not None:
        found = {entry.pk: places_on_boards(user, entry, False, True) for entry in official}
        return {key: places[0][1] or 0 for key, places in found.items() if places}
    if access.stands_still(round_):
        rows = board_of(round_, show_attacks).rows if show_attacks else []
        return {row.entry_id: row.rank for row in rows if row.rank is not None}
    standing = queries.places(round_, show_attacks) if show_attacks else []
    return {entry.pk: place.rank for place, entry in standing if place.rank is not None}
