"""Who lost a place on a board, told only where the board that everybody sees shows it."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from contest import access
from contest.models import Notification, Phase, Round, Team
from contest.models.round import Feedback
from contest.outside.notices import Notice, members_of, notify
from contest.records import audit


def tell_overtaken(
    round_: Round,
    before: Sequence[Mapping[str, Any]],
    after: Sequence[Mapping[str, Any]],
    recorded_at: datetime.datetime,
) -> int:
    """Notify teams whose place got worse between two records of a board, the first of which was made at
    ``recorded_at``. Call it in the transaction that writes the second; returns how many teams it told."""
    if not (round_.contest.is_public and access.results_are_public(round_)):
        return 0
    if not _was_public(round_, recorded_at):
        return 0
    lost = _lost(before, after)
    teams = list(Team.objects.filter(pk__in=lost, is_house=False).order_by("pk")) if lost else []
    for team in teams:
        was, place = lost[team.pk]
        facts = {"was": was, "place": place}
        notify(Notice(Notification.Kind.OVERTAKEN, round_.contest, round_, facts=facts), members_of([team]))
    if teams:
        places = {team.name: list(lost[team.pk]) for team in teams}
        audit.record("round.overtaken", round_, contest=round_.contest, after={"places": places})
    return len(teams)


def _was_public(round_: Round, moment: datetime.datetime) -> bool:
    """Whether everybody saw the earlier record too: one from before the results tells what was hidden."""
    if round_.feedback == Feedback.FULL:
        return True
    return Phase.objects.filter(round=round_, kind=Phase.Kind.RESULTS, starts_at__lte=moment).exists()


def _lost(
    before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]
) -> dict[int, tuple[int, int]]:
    """Teams that had a better place than they have; who left the board is not overtaken."""
    was = {row["team"]: row["rank"] for row in before if row["rank"] is not None}
    now = {row["team"]: row["rank"] for row in after if row["rank"] is not None}
    return {team: (was[team], rank) for team, rank in now.items() if team in was and rank > was[team]}
