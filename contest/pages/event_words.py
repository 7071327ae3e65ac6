"""Events of a contest in sentences, for those who watch it: on pages and in feeds."""

from __future__ import annotations

import datetime

from django.utils import dateformat
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from contest.models import Contest, Phase
from contest.outside.event_feed import Event


def in_words(event: Event, contest: Contest) -> str:
    """What happened, in one sentence of the reader's language."""
    facts = event.facts
    if event.kind == "announcement":
        return _("Announced: %(title)s") % facts
    if event.kind == "phase":
        return _phase(event, contest)
    if event.kind == "official-entry":
        return _("%(team)s: entry %(number)s is judged and counts.") % facts
    if event.kind == "result":
        return _result(event)
    return _place(event)


def _phase(event: Event, contest: Contest) -> str:
    phase = Phase.Kind(event.facts["phase"]).label
    ends_at = event.facts["ends_at"]
    if ends_at is None:
        return _("The phase “%(phase)s” does not take place.") % {"phase": phase}
    moment = datetime.datetime.fromisoformat(ends_at).astimezone(contest.zone)
    words = {"phase": phase, "time": dateformat.format(moment, "Y-m-d H:i"), "zone": contest.time_zone}
    return _("The phase “%(phase)s” ends on %(time)s (%(zone)s).") % words


def _result(event: Event) -> str:
    facts = event.facts
    if facts["hits"] is not None:
        found = ngettext(
            "%(attack)s found %(hits)s person in the entry of %(team)s.",
            "%(attack)s found %(hits)s people in the entry of %(team)s.",
            facts["hits"],
        )
        nobody = _("%(attack)s found nobody in the entry of %(team)s.")
        return (found if facts["hits"] else nobody) % facts
    percent = f"{100 * (facts['risk'] or 0):.1f}"
    return _("%(attack)s reached a risk of %(percent)s %% against the entry of %(team)s.") % {
        **facts,
        "percent": percent,
    }


def _place(event: Event) -> str:
    facts = event.facts
    passed = facts["passed"]
    if not passed:
        return _("%(team)s takes place %(place)s.") % facts
    if facts["n_passed"] == 1:
        return _("%(team)s overtakes %(other)s and takes place %(place)s.") % {**facts, "other": passed[0]}
    if facts["n_passed"] == 2:
        words = {**facts, "first": passed[0], "second": passed[1]}
        return _("%(team)s overtakes %(first)s and %(second)s and takes place %(place)s.") % words
    return _("%(team)s overtakes %(n_passed)s teams and takes place %(place)s.") % facts
