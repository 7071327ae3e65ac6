"""What a rehearsal saw."""

from __future__ import annotations

import datetime
from collections import Counter
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Happened:
    """One line of the schedule, at its planned time."""

    at: datetime.datetime
    what: str


@dataclass(frozen=True)
class Load:
    """The jobs of one kind: how many, how long each took on the mean, how many failed."""

    kind: str
    n: int
    seconds: float
    failed: int

    @property
    def total(self) -> float:
        return self.n * self.seconds


@dataclass(frozen=True)
class Forecast:
    """How long the attacks of a round take with a number of workers, and how long the phase for them is.

    ``attacks`` is the work of the house attacks in seconds, ``programs`` that of one program per team on each
    entry of another team.
    """

    round: str
    attacks: float
    programs: float
    workers: int
    phase: datetime.timedelta | None

    @property
    def needed(self) -> datetime.timedelta:
        return datetime.timedelta(seconds=round((self.attacks + self.programs) / self.workers))

    @property
    def fits(self) -> bool:
        return self.phase is None or self.needed <= self.phase


@dataclass(frozen=True)
class PlayedRound:
    """A round at its end: entries handed in and valid, teams without a valid one, the top of each board."""

    name: str
    entries: int
    valid: int
    idle: list[str]
    boards: dict[str, list[str]]


@dataclass
class Outcome:
    """Everything that a rehearsal reports. ``faults`` is what would have gone wrong on the day."""

    title: str
    zone: str
    teams: int
    happened: list[Happened] = field(default_factory=list)
    rounds: list[PlayedRound] = field(default_factory=list)
    loads: list[Load] = field(default_factory=list)
    forecasts: list[Forecast] = field(default_factory=list)
    letters: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    seconds: float = 0.0
