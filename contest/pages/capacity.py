"""How long will the attack matrix take? Estimated from the times that jobs of this contest took."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from django.db.models import Avg, Count, F, Q
from django.utils import timezone

from contest.jobs.heartbeats import slots_of
from contest.jobs.queue_estimates import time_needed
from contest.jobs.queues import QUEUES
from contest.models import Attack, AttackRun, Entry, Job, Phase, Round, Team


@dataclass(frozen=True)
class AttackLoad:
    """One attack: its mean time (``is_measured``, or the mean of the others), and its cells."""

    attack: Attack
    seconds: float | None
    is_measured: bool
    waiting: int
    expected: int

    @property
    def total(self) -> float:
        return (self.seconds or 0.0) * (self.waiting + self.expected)


@dataclass(frozen=True)
class Capacity:
    """The work of a round: what waits now, and what comes if every team without an entry hands one in.

    ``time_left`` is what remains of the phase by whose end it must be done. There is no estimate where
    nothing is measured or nobody works.
    """

    round: Round
    loads: list[AttackLoad]
    n_targets: int
    n_missing: int
    workers: int
    time_left: datetime.timedelta | None

    @property
    def estimate(self) -> datetime.timedelta | None:
        if any(load.seconds is None and load.waiting + load.expected for load in self.loads):
            return None
        work = [(load.waiting + load.expected, load.seconds or 0.0) for load in self.loads]
        seconds = time_needed(work, self.workers)
        return None if seconds is None else datetime.timedelta(seconds=round(seconds))

    @property
    def fits(self) -> bool | None:
        if self.estimate is None or self.time_left is None:
            return None
        return self.estimate <= self.time_left


def attacks_at_a_time() -> int:
    """How many attacks the workers that are running now can run side by side."""
    return slots_of({QUEUES[Job.Kind.ATTACK], QUEUES[Job.Kind.PROGRAM]})


def capacity_of(round_: Round, workers: int | None = None, now: datetime.datetime | None = None) -> Capacity:
    """Estimate the work of a round for this many workers side by side, or for those that are running now."""
    now = now or timezone.now()
    workers = attacks_at_a_time() if workers is None else workers
    attacks = list(
        Attack.objects.filter(round=round_, is_dry_run=False, is_active=True)
        .select_related("team", "round__contest")
        .annotate(
            mean=Avg("runs__seconds"),
            n_waiting=Count("runs", filter=~Q(runs__state__in=AttackRun.FINAL)),
        )
    )
    measured = AttackRun.objects.filter(attack__round=round_, seconds__isnull=False)
    typical = measured.aggregate(mean=Avg("seconds"))["mean"]
    teams = Team.objects.filter(contest=round_.contest_id, is_house=False)
    playing = teams.exclude(status=Team.Status.REMOVED)
    on_board = Entry.objects.filter(round=round_, is_official=True)
    missing = 0 if round_.frozen_at else playing.exclude(pk__in=on_board.values("team")).count()
    loads = [
        AttackLoad(
            attack,
            attack.mean if attack.mean is not None else typical,
            attack.mean is not None,
            attack.n_waiting,
            0 if attack.kind == Attack.Kind.GUESS else missing,
        )
        for attack in attacks
    ]
    return Capacity(round_, loads, on_board.count(), missing, workers, _time_left(round_, now))


def _time_left(round_: Round, now: datetime.datetime) -> datetime.timedelta | None:
    """Until the attack phase ends; without one, until the results begin."""
    end = Phase.objects.filter(round=round_, kind=Phase.Kind.ATTACK).annotate(at=F("ends_at")).first()
    end = (
        end or Phase.objects.filter(round=round_, kind=Phase.Kind.RESULTS).annotate(at=F("starts_at")).first()
    )
    return None if end is None else max(datetime.timedelta(0), end.at - now)
