"""What pages say of the registration of a contest, and of a team that is too small."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from contest.models import Contest, Team
from contest.services.registration import registration_refusal, size_refusal, time_in_words


def registration_context(contest: Contest) -> dict[str, Any]:
    """Whether people may gather now, and a sentence with the time where one is set."""
    refusal = registration_refusal(contest)
    if refusal is not None:
        return {"registration_is_open": False, "registration_note": refusal.text}
    closes = contest.registration_closes
    text = _("Registration is open until %(time)s (%(zone)s).")
    return {
        "registration_is_open": True,
        "registration_note": text % time_in_words(contest, closes) if closes else "",
    }


def size_note(team: Team) -> str:
    refusal = size_refusal(team)
    return refusal.text if refusal else ""
