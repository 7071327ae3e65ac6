"""The history of a board: what it showed, recorded by the sweeper when it has changed."""

from __future__ import annotations

import datetime
from typing import Any

from django.db import transaction
from django.db.models import F, OuterRef, Q, Subquery
from django.utils import timezone

from contest.board import queries
from contest.models import Round, Standing, StoredBoard
from contest.outside.overtaking import tell_overtaken

SECONDS_BETWEEN = 60
"""A busy board changes with every judged attack; one point per minute is enough to see its course."""


def record_standings(now: datetime.datetime | None = None) -> int:
    """Record every board that has changed since the last look; returns the number of new rows."""
    now = now or timezone.now()
    last = Standing.objects.filter(round=OuterRef("pk")).order_by("-at", "-pk")
    changed = Round.objects.annotate(
        known=Subquery(last.values("board_version")[:1]), known_at=Subquery(last.values("at")[:1])
    ).filter(Q(known=None) | ~Q(known=F("full_version")))
    quiet = now - datetime.timedelta(seconds=SECONDS_BETWEEN)
    due = changed.filter(Q(known_at=None) | Q(known_at__lte=quiet) | Q(tallied_at__gt=F("known_at")))
    return sum(_record(round_, now) for round_ in due.select_related("contest"))


def record_standing(round_: Round, now: datetime.datetime | None = None) -> int:
    """Record one round's board at once, where it differs from the last record; returns 0 or 1."""
    return _record(round_, now or timezone.now())


def _record(round_: Round, now: datetime.datetime) -> int:
    places, version = places_of(round_), _version(round_)
    last = Standing.objects.filter(round=round_).order_by("-at", "-pk").first()
    if last is None and not places:
        return 0
    if last is not None and last.places == places:
        Standing.objects.filter(pk=last.pk).update(board_version=version)
        return 0
    with transaction.atomic():
        Standing.objects.create(round=round_, at=now, board_version=version, places=places)
        if last is not None:
            tell_overtaken(round_, last.places, places, last.at)
    return 1


def places_of(round_: Round) -> list[dict[str, Any]]:
    """The board as it is now: rank and total of every team that has them. The house, where it takes no place,
    is marked and has a total alone."""
    if round_.game_id is not None:
        return _counted_places(round_)
    standing = queries.places(round_, show_attacks=True)
    return [
        {"team": entry.team_id, "rank": place.rank, "total": place.total}
        | ({} if place.result.takes_place else {"is_house": True})
        for place, entry in standing
        if place.total is not None
    ]


def _main_board(round_: Round) -> StoredBoard | None:
    """The first board that the game of a round has counted."""
    final = StoredBoard.objects.filter(round=round_, view=StoredBoard.View.FINAL)
    return final.order_by("position").first()


def _version(round_: Round) -> int:
    """The state of the round that its board shows; a game counts its boards somewhat later."""
    board = _main_board(round_) if round_.game_id is not None else None
    return round_.full_version if board is None else board.counted


def _counted_places(round_: Round) -> list[dict[str, Any]]:
    """The places of teams on a game's first board, each with the first of its columns."""
    board = _main_board(round_)
    if board is None or not board.columns or board.shown != "all":
        return []
    rows = [row for row in board.rows if row["team"] is not None]
    totals = ((row, row["values"].get(board.columns[0])) for row in rows)
    return [
        {"team": row["team"], "rank": row["place"], "total": total}
        | ({} if row["place"] is not None else {"is_house": True})
        for row, total in totals
        if total is not None
    ]
