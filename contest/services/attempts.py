"""How many entries a team may still hand in. Counted, never stored: nothing can drift."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from django.db.models import Count, Q
from django.utils import timezone

from contest.models import Entry, Round, Team

MAX_UPLOADS_A_DAY = 200
"""Uploads that turn out to be malformed cost no attempt; this bounds how many of them we read."""


@dataclass(frozen=True)
class Attempts:
    per_day: int
    used_today: int
    in_total: int
    used_in_total: int
    uploads_today: int
    resets_at: datetime.datetime

    @property
    def left_today(self) -> int:
        return max(0, min(self.per_day - self.used_today, self.left_total))

    @property
    def left_total(self) -> int:
        return max(0, self.in_total - self.used_in_total)


def count_attempts(round_: Round, team: Team, now: datetime.datetime | None = None) -> Attempts:
    """Days begin at midnight in the contest's zone."""
    local = (now or timezone.now()).astimezone(round_.contest.zone)
    midnight = local.replace(hour=0, minute=0, second=0, microsecond=0)
    tomorrow = (midnight + datetime.timedelta(days=1)).replace(hour=0)
    # A merged team has used what its parts had used.
    entries = Entry.objects.filter(Q(team=team) | Q(team__merged_into=team), round=round_)
    today, costly = Q(received_at__gte=midnight), Q(costs_attempt=True)
    found = entries.aggregate(
        used_today=Count("pk", filter=today & costly),
        used_in_total=Count("pk", filter=costly),
        uploads_today=Count("pk", filter=today),
    )
    return Attempts(
        per_day=round_.entries_per_day,
        in_total=round_.entries_in_total,
        resets_at=tomorrow,
        **found,
    )
