"""When people may gather in teams, and how many a team needs before it may hand in."""

from __future__ import annotations

import datetime

from django.utils import dateformat
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from contest.errors import Refused
from contest.models import Contest, Membership, Team


def registration_refusal(contest: Contest) -> Refused | None:
    """Why nobody may make, join or leave a team now, with the time in the contest's zone; nothing where they
    may. Organisers are bound by none of it."""
    if contest.registration == "before" and contest.registration_opens is not None:
        text = _("Registration opens on %(time)s (%(zone)s).")
        return Refused("registration-not-open", text % time_in_words(contest, contest.registration_opens))
    if contest.registration == "after" and contest.registration_closes is not None:
        text = _("Registration closed on %(time)s (%(zone)s): teams stay as they are. Ask the organisers.")
        return Refused("registration-closed", text % time_in_words(contest, contest.registration_closes))
    return None


def time_in_words(contest: Contest, moment: datetime.datetime) -> dict[str, str]:
    """A time in the contest's zone, for a sentence."""
    return {
        "time": dateformat.format(moment.astimezone(contest.zone), "Y-m-d H:i"),
        "zone": contest.time_zone,
    }


def require_registration(contest_id: int) -> Contest:
    """The contest as it is now, whose registration must be open."""
    contest = Contest.objects.get(pk=contest_id)
    refusal = registration_refusal(contest)
    if refusal is not None:
        raise refusal
    return contest


def size_refusal(team: Team) -> Refused | None:
    """Why a team is too small to hand in; nothing where it is not, and of the house."""
    least = team.contest.min_team_size
    if team.is_house or least <= 1:
        return None
    members = Membership.objects.filter(team=team).count()
    if members >= least:
        return None
    text = ngettext(
        "Your team has %(members)s member and needs %(least)s: until then it hands nothing in.",
        "Your team has %(members)s members and needs %(least)s: until then it hands nothing in.",
        members,
    )
    return Refused("team-too-small", text % {"members": members, "least": least})
