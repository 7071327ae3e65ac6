"""An upload by a team, and whether the entry that counts now goes on counting."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from contest.board.official import counting_now
from contest.files.storage import Stored
from contest.models import Entry, Round, Team, User
from contest.services.entries import pin_entry, submit_entry


def hand_in(round_: Round, team: Team, user: User, upload: Stored, *, keep: bool, **given: Any) -> Entry:
    """Accept an upload. With ``keep``, the team's entry that counts now is pinned in the same transaction, so
    the new one does not replace it; where none counts there is nothing to keep."""
    with transaction.atomic():
        entry = submit_entry(round_, team, user, upload, **given)
        counting = counting_now(round_, team, entry.slot) if keep else None
        if counting is not None and not counting.is_pinned:
            pin_entry(counting, user)
    return entry
