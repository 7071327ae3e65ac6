"""The clock: opens and closes phases, and does what follows from it, in order and once.

Whether an upload is in time is decided by the phase's own times in the transaction that accepts it. The clock
does the rest: close → freeze and hash the entries → targets → attack → tally → results. It acts on what is
due, not on the current moment, so that after an outage it catches up in the order of the boundaries.
Every step is claimed by a conditional update in its own transaction; of two sweepers one does it.
"""

from __future__ import annotations

import datetime
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.db import DatabaseError, transaction
from django.db.models import Q
from django.utils import timezone

from contest.models import Attack, AttackRun, Commitment, Entry, HouseOrder, Job, Phase, Round, StoredBoard
from contest.records import audit
from contest.records.locks import lock_play, lock_teams
from contest.services.attacks import settle_entries
from contest.services.board_versions import bump_board
from contest.services.commitments import commit, reveal_commitments
from contest.services.reminders import remind
from contest.services.still_boards import release_board, stands_still_at, stop_board
from contest.services.tallies import counting_fault

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class ClockStep:
    """One thing that the clock did, for the log and the tests."""

    round: int
    what: str


def run_clock(now: datetime.datetime | None = None) -> list[ClockStep]:
    """Do everything that is due; returns what this call did, in order."""
    now = now or timezone.now()
    unmarked = Q(phases__opened_at=None, phases__starts_at__lte=now) | Q(
        phases__closed_at=None, phases__ends_at__lte=now
    )
    still = Q(still_since__isnull=False)
    unfinished = Q(committed_at=None) | Q(frozen_at=None) | Q(tallied_at=None) | Q(revealed_at=None)
    begun = Q(phases__starts_at__lte=now)
    rounds = Round.objects.filter(unmarked | still | (unfinished & begun)).distinct().order_by("pk")
    done: list[ClockStep] = []
    for round_ in rounds.select_related("contest"):
        try:
            done.extend(_run_round(round_, now))
        except DatabaseError:
            raise
        except Exception:
            # A failure in one round must not stop the clock of the others; the next tick tries it again.
            logger.exception("the clock of round %s stumbled", round_.pk)
    for phase, hours in remind(now):
        logger.info("clock: reminder %s hours before the end of phase %s", hours, phase.pk)
    return done


def _run_round(round_: Round, now: datetime.datetime) -> Iterator[ClockStep]:
    yield from _hold(round_, now)
    yield from _follow(round_, now)
    for phase, opens in _boundaries(round_, now):
        if opens and not _may_open(round_, phase):
            # What comes later waits too: nothing happens out of order.
            return
        if _mark(phase, opens, now):
            yield ClockStep(round_.pk, f"{'open' if opens else 'close'} {phase.kind}")
        yield from _hold(round_, now)
        yield from _follow(round_, now)


def _hold(round_: Round, now: datetime.datetime) -> Iterator[ClockStep]:
    """Stop the board that everybody sees, or let it go on, whichever is due."""
    fresh = Round.objects.select_related("contest", "dataset", "game").get(pk=round_.pk)
    if stands_still_at(fresh, now) == (fresh.still_since is not None):
        return
    with transaction.atomic():
        lock_teams(fresh.contest_id)
        lock_play(fresh.pk)
        fresh.refresh_from_db()
        wanted = stands_still_at(fresh, now)
        if wanted == (fresh.still_since is not None):
            return
        (stop_board if wanted else release_board)(fresh, now)
    yield ClockStep(fresh.pk, "stop board" if wanted else "release board")


def _boundaries(round_: Round, now: datetime.datetime) -> list[tuple[Phase, bool]]:
    """Starts and ends that are due and not done, in order of time; at one instant, ends come first."""
    due: list[tuple[datetime.datetime, int, int, Phase]] = []
    for phase in Phase.objects.filter(round=round_).select_related("round__contest"):
        if phase.opened_at is None and phase.starts_at <= now:
            due.append((phase.starts_at, 1, phase.pk, phase))
        if phase.closed_at is None and phase.ends_at <= now:
            due.append((phase.ends_at, 0, phase.pk, phase))
    due.sort(key=lambda boundary: boundary[:3])
    return [(phase, opens == 1) for _, opens, _, phase in due]


def _may_open(round_: Round, phase: Phase) -> bool:
    """The attack waits for frozen entries, the results for the tally; hiding and seeking may go together."""
    if phase.kind == Phase.Kind.ATTACK:
        hiding = Phase.objects.filter(round=round_, kind=Phase.Kind.ANONYMISE, ends_at__lte=phase.starts_at)
        return not hiding.exists() or _is_set(round_, "frozen_at")
    if phase.kind == Phase.Kind.RESULTS:
        return _is_set(round_, "tallied_at")
    return True


def _mark(phase: Phase, opens: bool, now: datetime.datetime) -> bool:
    """Open or close a phase, unless somebody has done it or has moved the time since we looked."""
    with transaction.atomic():
        if opens:
            due = phase.starts_at
            mine = Phase.objects.filter(pk=phase.pk, opened_at=None, starts_at__lte=now)
            changed = mine.update(opened_at=now)
        else:
            due = phase.ends_at
            mine = Phase.objects.filter(
                pk=phase.pk, closed_at=None, opened_at__isnull=False, ends_at__lte=now
            )
            changed = mine.update(closed_at=now)
        if changed:
            audit.record(
                f"phase.{'opened' if opens else 'closed'}",
                phase,
                contest=phase.round.contest,
                after={"kind": phase.kind, "due": due.isoformat(), "done": now.isoformat()},
            )
            bump_board(phase.round_id)
    return bool(changed)


def _follow(round_: Round, now: datetime.datetime) -> Iterator[ClockStep]:
    """The steps that follow from open and closed phases, each as soon as its conditions hold."""
    for what, field, may, act in STEPS:
        if _is_set(round_, field) or not may(round_):
            continue
        with transaction.atomic():
            # An upload looks at the time after taking the team's lock: with all of these, everything
            # that was accepted in time is visible, and nothing more will be.
            lock_teams(round_.contest_id)
            lock_play(round_.pk)
            if not may(round_):
                continue
            if not Round.objects.filter(pk=round_.pk, **{field: None}).update(**{field: now}):
                continue
            act(round_, now)
            audit.record(f"round.{what}", round_, contest=round_.contest, after={"at": now.isoformat()})
            bump_board(round_.pk)
        yield ClockStep(round_.pk, what)


def _may_commit(round_: Round) -> bool:
    return Phase.objects.filter(round=round_, opened_at__isnull=False).exists()


def _commit_seed(round_: Round, now: datetime.datetime) -> None:
    commit(round_, Commitment.What.SEED, now)


def _may_freeze(round_: Round) -> bool:
    """Hiding is over, and everything that was handed in during it has its verdict."""
    if not _is_hidden(round_):
        return False
    if HouseOrder.objects.filter(round=round_, state=HouseOrder.State.WAITING).exists():
        return False
    return not Entry.objects.filter(round=round_).exclude(state__in=Entry.FINAL).exists()


def _is_hidden(round_: Round) -> bool:
    """Where the organisers bring all targets, these are out as soon as seeking begins."""
    if Phase.objects.filter(round=round_, kind=Phase.Kind.ANONYMISE).exists():
        return _is_over(round_, Phase.Kind.ANONYMISE)
    if round_.game_id is None or not Entry.objects.filter(round=round_, upload_sha256="").exists():
        return False
    return Phase.objects.filter(round=round_, kind=Phase.Kind.ATTACK, opened_at__isnull=False).exists()


def _freeze(round_: Round, now: datetime.datetime) -> None:
    Entry.objects.filter(round=round_, is_official=True).update(frozen_at=now)
    commit(round_, Commitment.What.ENTRIES, now)


def _may_tally(round_: Round) -> bool:
    """Seeking is over, and every attack on a frozen entry has been judged or has failed for good."""
    if not _is_set(round_, "frozen_at"):
        return False
    seeking = Phase.objects.filter(round=round_, kind=Phase.Kind.ATTACK)
    if seeking.exists() and not _is_over(round_, Phase.Kind.ATTACK):
        return False
    if round_.game_id is not None and not _is_counted(round_):
        return False
    runs = AttackRun.objects.filter(entry__round=round_, entry__is_official=True, attack__is_dry_run=False)
    return not runs.filter(attack__is_active=True).exclude(state__in=AttackRun.FINAL).exists()


def _is_counted(round_: Round) -> bool:
    """Every answer has its verdict, and the game has counted its final boards since the last change."""
    waiting = Attack.objects.filter(round=round_, is_active=True).exclude(state__in=["", *Attack.FINAL])
    counting = Job.objects.filter(round=round_, kind=Job.Kind.TALLY, state__in=Job.OPEN)
    if waiting.exists() or counting.exists() or counting_fault(round_) is not None:
        return False
    final = StoredBoard.objects.filter(round=round_, view=StoredBoard.View.FINAL)
    version = Round.objects.values_list("full_version", flat=True).get(pk=round_.pk)
    return not final.exclude(counted__gte=version).exists()


def _tally(round_: Round, now: datetime.datetime) -> None:
    official = Entry.objects.filter(round=round_, is_official=True)
    settle_entries(round_.pk, official.values_list("pk", flat=True))
    commit(round_, Commitment.What.BOARD, now)


def _may_reveal(round_: Round) -> bool:
    if not _is_set(round_, "tallied_at"):
        return False
    held = Round.objects.filter(pk=round_.pk)
    if held.filter(Q(still_since__isnull=False) | Q(reveal_in_steps=True, reveal_ended_at=None)).exists():
        return False
    return Phase.objects.filter(round=round_, kind=Phase.Kind.RESULTS, opened_at__isnull=False).exists()


def _reveal(round_: Round, now: datetime.datetime) -> None:
    reveal_commitments(round_, now)


STEPS: tuple[tuple[str, str, Callable[[Round], bool], Callable[[Round, datetime.datetime], None]], ...] = (
    ("commit", "committed_at", _may_commit, _commit_seed),
    ("freeze", "frozen_at", _may_freeze, _freeze),
    ("tally", "tallied_at", _may_tally, _tally),
    ("reveal", "revealed_at", _may_reveal, _reveal),
)
"""Name, field of the round that says it is done, when it may be done, how it is done."""


def _is_set(round_: Round, field: str) -> bool:
    return Round.objects.filter(pk=round_.pk, **{f"{field}__isnull": False}).exists()


def _is_over(round_: Round, kind: Phase.Kind) -> bool:
    return Phase.objects.filter(round=round_, kind=kind, closed_at__isnull=False).exists()
