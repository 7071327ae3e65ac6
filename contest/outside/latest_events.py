"""The newest public events of a contest, for people who watch: those of the feed, and places that changed."""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Max, Sum

from contest import access
from contest.models import AuditEvent, Contest, Round, Standing, StoredBoard, Team
from contest.outside.event_feed import PUBLIC, Event, public_events

RESULT = "attack_run.done"
LOOKED_AT = 200
"""Rows of the log that are read, of results and of everything else: attacks must not crowd out the rest."""
BOARDS = 12
"""Recorded boards of a round that are compared with the one before each."""
MOVES = 3
"""Changes of places that are told of one record of a board: the largest ones."""


def latest_events(contest: Contest, round_: Round | None, most: int) -> list[Event]:
    """The newest events of a contest, or of one of its rounds and what belongs to none, newest first."""
    log = AuditEvent.objects.filter(contest=contest, number__isnull=False).order_by("-number")
    others = [verb for verb in PUBLIC if verb != RESULT]
    rows = [*log.filter(verb__in=others)[:LOOKED_AT], *log.filter(verb=RESULT)[:LOOKED_AT]]
    events = _strongest(public_events(contest, rows))
    rounds = [round_] if round_ is not None else access.announced_rounds(contest)
    for one in rounds:
        # Of a board that stands still, what moved before that moment was public and stays so.
        if access.is_announced(one) and access.sees_board_history(AnonymousUser(), one):
            events += _place_events(one)
    if round_ is not None:
        events = [event for event in events if event.round in (None, round_.slug)]
    return sorted(events, key=lambda event: (event.at, event.id), reverse=True)[:most]


def log_state(contest: Contest, round_: Round | None) -> tuple[Any, ...]:
    """What everything that `latest_events` gives depends on. It grows with what is hidden too, so it decides
    when to look again and is never shown."""
    rounds = access.announced_rounds(contest)
    numbered = AuditEvent.objects.filter(contest=contest, verb__in=PUBLIC)
    return (
        contest.pk,
        round_.pk if round_ else None,
        numbered.aggregate(newest=Max("number"))["newest"],
        Standing.objects.filter(round__contest=contest).aggregate(newest=Max("pk"))["newest"],
        contest.rounds.aggregate(versions=Sum("board_version"))["versions"],
        StoredBoard.objects.filter(round__contest=contest).aggregate(newest=Max("pk"))["newest"],
        tuple(
            (one.pk, one.still_since, access.results_are_public(one), access.results_have_begun(one))
            for one in rounds
        ),
    )


def version_of(events: list[Event]) -> str:
    """A name of what is shown: it depends on nothing that is not shown."""
    shown = [(event.kind, event.id, event.at.isoformat(), _facts(event)) for event in events]
    return hashlib.sha256(repr(shown).encode()).hexdigest()[:16]


def _facts(event: Event) -> list[tuple[str, Any]]:
    # The name of an attack is in the reader's language; its number says as much.
    return sorted((name, value) for name, value in event.facts.items() if name != "attack")


def _strongest(events: list[Event]) -> list[Event]:
    """Of all attacks on an entry only the one that found most is told, when the newest of them was judged."""
    kept: dict[Any, Event] = {}
    for event in events:
        key = event.facts["entry_id"] if event.kind == "result" else (event.kind, event.id)
        before = kept.get(key)
        if before is None:
            kept[key] = event
        elif (event.facts["risk"] or 0) > (before.facts["risk"] or 0):
            kept[key] = replace(event, at=before.at, id=before.id)
    return list(kept.values())


def _place_events(round_: Round) -> list[Event]:
    """Who overtook whom, from one record of a board to the next one."""
    recorded = Standing.objects.filter(round=round_)
    if round_.still_since is not None:
        recorded = recorded.filter(at__lte=round_.still_since)
    records = list(recorded.order_by("-at", "-pk")[: BOARDS + 1])
    is_whole = len(records) <= BOARDS
    ranks = [
        {place["team"]: place["rank"] for place in record.places if place["rank"] is not None}
        for record in records
    ]
    keys = {key for rank in ranks for key in rank}
    teams = Team.objects.exclude(status=Team.Status.REMOVED).in_bulk(keys)
    events = []
    for number, record in enumerate(records[:BOARDS]):
        if number + 1 < len(records):
            events += _moves(round_, record, ranks[number + 1], ranks[number], teams)
        elif is_whole:
            events += _moves(round_, record, {}, ranks[number], teams)
    return events


def _moves(
    round_: Round, record: Standing, before: Mapping[int, int], now: Mapping[int, int], teams: dict[int, Team]
) -> list[Event]:
    """The largest moves: a new team takes its place, and one that rises overtakes those it passes."""
    rose = [
        (before.get(key, len(now) + 1) - place, key)
        for key, place in now.items()
        if key in teams and before.get(key, place + 1) > place
    ]
    largest = heapq.nlargest(MOVES, rose, key=lambda move: (move[0], -now[move[1]], -move[1]))
    events = []
    for _gain, key in largest:
        passed = _passed(key, before, now, teams) if key in before else []
        # Somebody who rises because another one left has overtaken nobody.
        if passed or key not in before:
            facts = {
                "team_id": key,
                "team": teams[key].name,
                "place": now[key],
                "passed": [teams[other].name for other in passed[:2]],
                "n_passed": len(passed),
            }
            events.append(Event(record.pk, record.at, "place", round_.slug, facts))
    return events


def _passed(key: int, before: Mapping[int, int], now: Mapping[int, int], teams: dict[int, Team]) -> list[int]:
    """Those who were above a team and are below it now, the highest first."""
    found = [other for other, place in before.items() if place < before[key] and now.get(other, 0) > now[key]]
    return sorted((other for other in found if other in teams), key=lambda other: (before[other], other))
