"""How the places of a round changed over time: lines for a picture, and the same numbers for a table."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from django.utils import dateformat

from contest.board.ranking import find_ranking
from contest.models import Round, Standing, Team

WIDTH, HEIGHT = 640, 300
LEFT, RIGHT, TOP, BOTTOM = 36, 16, 16, 36
TEAMS = 10
"""How many teams a picture can hold and still be read: those that are highest now."""
MOMENTS = 12
"""How many columns the table has; the picture shows all moments."""

HOUR = datetime.timedelta(hours=1)


@dataclass(frozen=True)
class RankLine:
    """A team's places; ``points`` as SVG wants them, ``number`` chooses its colour."""

    team: Team
    number: int
    points: str
    last_x: float
    last_y: float
    ranks: list[int | None]


@dataclass(frozen=True)
class Beside:
    """A house entry that takes no place: there is no line of it, only its total now."""

    team: Team
    total: float


@dataclass(frozen=True)
class Mark:
    position: float
    label: str


@dataclass(frozen=True)
class History:
    lines: list[RankLine]
    moments: list[datetime.datetime]
    y_marks: list[Mark]
    x_marks: list[Mark]
    house: list[Beside]
    lower_wins: bool = False
    clock: str = "m-d H:i"
    """How times are written, in Django's date format."""
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    bottom: int = HEIGHT - BOTTOM


def rank_history(round_: Round, until: datetime.datetime | None = None) -> History:
    """The history of the teams that are highest now, or at a moment; empty where nothing was ever ranked."""
    recorded = Standing.objects.filter(round=round_)
    standings = list(recorded if until is None else recorded.filter(at__lte=until))
    if not standings:
        return History([], [], [], [], [])
    ranks = [
        {place["team"]: place["rank"] for place in standing.places if place["rank"] is not None}
        for standing in standings
    ]
    shown = sorted(ranks[-1], key=lambda team: (ranks[-1][team], team))[:TEAMS]
    teams = Team.objects.in_bulk(shown)
    lowest = max((rank[team] for rank in ranks for team in shown if team in rank), default=1)
    moments = [standing.at for standing in standings]
    xs = [_x(moment, moments) for moment in moments]
    kept = list(range(len(moments)))[-MOMENTS:]
    lines = []
    for number, key in enumerate(shown, start=1):
        points = [(x, _y(rank[key], lowest)) for x, rank in zip(xs, ranks, strict=True) if key in rank]
        listed = [ranks[place].get(key) for place in kept]
        text = " ".join(f"{x},{y}" for x, y in points)
        lines.append(RankLine(teams[key], number, text, *points[-1], listed))
    # Seconds where everything happened within an hour, as in a fresh demo.
    clock = "H:i:s" if moments[-1] - moments[0] < HOUR else "m-d H:i"
    ends = [moments[0], moments[-1]] if len(moments) > 1 else [moments[0]]
    return History(
        lines,
        [moments[place] for place in kept],
        [Mark(_y(rank, lowest), str(rank)) for rank in _steps(lowest)],
        [
            Mark(_x(moment, moments), dateformat.format(moment.astimezone(round_.contest.zone), clock))
            for moment in ends
        ],
        _beside(standings[-1]),
        round_.game_id is None and find_ranking(round_.ranking).lower_wins,
        clock,
    )


def _beside(standing: Standing) -> list[Beside]:
    """The house entries of a board that take no place, in the order of the board."""
    totals = {place["team"]: place["total"] for place in standing.places if place["rank"] is None}
    teams = Team.objects.in_bulk(totals)
    return [Beside(teams[key], total) for key, total in totals.items()]


def _steps(lowest: int) -> list[int]:
    step = max(1, -(-lowest // 10))
    return list(range(1, lowest + 1, step))


def _x(moment: datetime.datetime, moments: list[datetime.datetime]) -> float:
    whole = (moments[-1] - moments[0]).total_seconds()
    share = (moment - moments[0]).total_seconds() / whole if whole else 1.0
    return round(LEFT + (WIDTH - LEFT - RIGHT) * share, 1)


def _y(rank: int, lowest: int) -> float:
    share = (rank - 1) / (lowest - 1) if lowest > 1 else 0.0
    return round(TOP + (HEIGHT - TOP - BOTTOM) * share, 1)
