"""The numbers by which pages know that the board they show is the newest."""

from __future__ import annotations

import datetime
from functools import lru_cache

from django.conf import settings
from django.db.models import Case, Exists, F, Max, OuterRef, Q, When
from django.utils import timezone

from contest.jobs.queue import enqueue_once
from contest.models import Job, Phase, Round, StoredBoard
from contest.models.round import BuildState, Feedback


def bump_board(round_id: int, *, is_seen: bool = True) -> None:
    """Mark the round's board as changed; pages that show it compare this number.

    ``is_seen`` is false for what shows on no board before the results, such as an upload that waits or an
    attack that was judged: in a round that shows nothing until then, the public number stays, or it would
    reveal that something happened.
    """
    _raise_versions(round_id, is_seen)
    # Attack machines may queue nothing of this kind; the sweeper does it for them.
    if settings.ROLE != "attacks" and has_game(round_id):
        enqueue_once(Job.Kind.TALLY, round_id)


@lru_cache(maxsize=4096)
def has_game(round_id: int) -> bool:
    """Whether a round is played by a game; it is made so and stays so."""
    return Round.objects.filter(pk=round_id, game__isnull=False).exists()


def _raise_versions(round_id: int, is_seen: bool) -> None:
    rounds = Round.objects.filter(pk=round_id)
    moving = rounds.filter(still_since=None)
    shown = moving if is_seen else moving.filter(feedback=Feedback.FULL)
    # A round that shows everything at once is spared the question below, which takes Django longer to write
    # than the rest of the change. A round that hides its board pays one statement more.
    if shown.update(full_version=F("full_version") + 1, board_version=F("board_version") + 1):
        return
    results = Phase.objects.filter(
        round=OuterRef("pk"), kind=Phase.Kind.RESULTS, starts_at__lte=timezone.now()
    )
    is_told = Exists(results) & ~Q(reveal_in_steps=True, reveal_ended_at=None)
    # While the board that everybody sees stands still, its number tells nothing of what happens.
    tells = Q(still_since=None) & (Q(feedback=Feedback.FULL) | is_told)
    step = Case(When(tells, then=1), default=0)
    rounds.update(full_version=F("full_version") + 1, board_version=F("board_version") + step)


AGAIN_AFTER = datetime.timedelta(minutes=1)
"""How long boards that could not be counted are left alone, unless something changes."""


def sweep_tallies() -> int:
    """Count the boards again of rounds that have changed since they were counted."""
    counted = Max("boards__counted", filter=Q(boards__view=StoredBoard.View.FINAL))
    rounds = Round.objects.filter(game__isnull=False, build_state=BuildState.READY).annotate(counted=counted)
    behind = rounds.filter(Q(counted=None) | Q(counted__lt=F("full_version")))
    waiting = Job.objects.filter(kind=Job.Kind.TALLY, state__in=[Job.State.QUEUED, Job.State.RUNNING])
    failed = Job.objects.filter(
        kind=Job.Kind.TALLY, state=Job.State.FAILED, finished_at__gt=timezone.now() - AGAIN_AFTER
    )
    due = behind.exclude(pk__in=waiting.values("round")).exclude(pk__in=failed.values("round"))
    found = list(due.values_list("pk", flat=True))
    for round_id in found:
        enqueue_once(Job.Kind.TALLY, round_id)
    return len(found)
