"""Phases as bars: plain numbers in percent of the time that is shown; the templates draw them."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from contest.models import Phase

TICKS = 6


@dataclass(frozen=True)
class Bar:
    """A phase from ``start`` for ``length`` percent of the width; ``state`` as organisers see it."""

    phase: Phase
    start: float
    length: float
    state: str


@dataclass(frozen=True)
class Tick:
    position: float
    label: str


@dataclass(frozen=True)
class Bars:
    rows: list[list[Bar]]
    ticks: list[Tick]
    now: float | None


def state_of(phase: Phase, now: datetime.datetime) -> str:
    """planned, open, over (past its end, which the clock has not marked yet) or closed."""
    if phase.closed_at is not None:
        return "closed"
    if phase.ends_at <= now:
        return "over"
    return "open" if phase.starts_at <= now else "planned"


def bars(rounds: Sequence[Sequence[Phase]], zone: ZoneInfo, now: datetime.datetime) -> Bars:
    """All rounds on one scale, from the first start to the last end of any phase."""
    phases = [phase for round_ in rounds for phase in round_]
    if not phases:
        return Bars([[] for _ in rounds], [], None)
    first = min(phase.starts_at for phase in phases)
    last = max(phase.ends_at for phase in phases)

    def place(moment: datetime.datetime) -> float:
        return round(100 * ((moment - first) / (last - first)), 2)

    rows = [
        [
            Bar(
                phase,
                place(phase.starts_at),
                # A minute in a year must still be visible.
                max(0.4, round(place(phase.ends_at) - place(phase.starts_at), 2)),
                state_of(phase, now),
            )
            for phase in round_
        ]
        for round_ in rounds
    ]
    step = (last - first) / TICKS
    moments = [first + number * step for number in range(TICKS + 1)]
    form = "%m-%d" if last - first > datetime.timedelta(days=3) else "%m-%d %H:%M"
    ticks = [Tick(place(moment), moment.astimezone(zone).strftime(form)) for moment in moments]
    return Bars(rows, ticks, place(now) if first <= now <= last else None)
