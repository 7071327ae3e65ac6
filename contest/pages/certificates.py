"""What the certificate of a team says, in the language that is asked for, whatever the reader's is."""

from __future__ import annotations

import datetime

from django.utils import formats, translation
from django.utils.translation import gettext as _

from contest.charts.certificate import Certificate
from contest.models import Award, Contest, Organiser, Phase, Team


def certificate_of_place(team: Team, place: int, of: int, language: str) -> Certificate:
    with translation.override(language):
        for_what = _("Place %(place)s of %(n)s in the overall result") % {"place": place, "n": of}
        return _certificate(team, for_what, "", decided_at(team.contest))


def certificate_of_award(award: Award, language: str) -> Certificate:
    with translation.override(language):
        at = max(decided_at(award.contest), award.given_at)
        return _certificate(award.team, award.title, award.text, at)


def decided_at(contest: Contest) -> datetime.datetime:
    """When the results of the last round that counts became public; the contest is decided."""
    results = Phase.objects.filter(round__contest=contest, round__weight__gt=0, kind=Phase.Kind.RESULTS)
    return max(results.values_list("starts_at", flat=True))


def _certificate(team: Team, for_what: str, text: str, at: datetime.datetime) -> Certificate:
    contest = team.contest
    day = at.astimezone(contest.zone).date()
    return Certificate(
        heading=_("Certificate"),
        contest=contest.title,
        team=team.name,
        for_what=for_what,
        text=text,
        date=formats.date_format(day, "DATE_FORMAT"),
        signed=_("Organised by %(names)s") % {"names": _names(contest)},
    )


def _names(contest: Contest) -> str:
    organisers = Organiser.objects.filter(contest=contest).select_related("user").order_by("pk")
    return ", ".join(organiser.user.shown_name for organiser in organisers)
