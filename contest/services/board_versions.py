"""The numbers by which pages know that the board they show is the newest."""

from __future__ import annotations

from typing import Any

from django.db.models import Case, Exists, F, OuterRef, Q, When
from django.utils import timezone

from contest.models import Phase, Round
from contest.models.round import Feedback


def bump_board(round_id: int, *, is_seen: bool = True) -> None:
    """Mark the round's board as changed; pages that show it compare this number.

    ``is_seen`` is false for what shows on no board before the results, such as an upload that waits or an
    attack that was judged: in a round that shows nothing until then, the public number stays, or it would
    reveal that something happened.
    """
    rounds = Round.objects.filter(pk=round_id)
    step: Any = 1
    if not is_seen:
        results = Phase.objects.filter(
            round=OuterRef("pk"), kind=Phase.Kind.RESULTS, starts_at__lte=timezone.now()
        )
        tells = Q(feedback=Feedback.FULL) | Exists(results)
        step = Case(When(tells, then=1), default=0)
    rounds.update(full_version=F("full_version") + 1, board_version=F("board_version") + step)
