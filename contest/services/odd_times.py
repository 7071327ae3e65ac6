"""Deadlines that people may regret: on a weekend, or at night. They are pointed out, not refused."""

from __future__ import annotations

from collections.abc import Iterable
from zoneinfo import ZoneInfo

from django.utils import formats
from django.utils.translation import gettext as _

from contest.bundle.spans import Span
from contest.language.moments import told
from contest.models import Phase

WITH_DEADLINE = (Phase.Kind.REGISTRATION, Phase.Kind.ANONYMISE, Phase.Kind.ATTACK)
"""Phases at whose end teams must have done something."""
MORNING = 7
SATURDAY = 5


def remarks_on(spans: Iterable[Span], zone: ZoneInfo) -> list[str]:
    """What is unusual about the ends of some phases, in the zone of their contest."""
    found = []
    for span in spans:
        if span.kind not in WITH_DEADLINE:
            continue
        local = span.ends_at.astimezone(zone)
        names = {
            "phase": Phase.Kind(span.kind).label,
            "time": told(span.ends_at, zone),
            "day": formats.date_format(local, "l"),
        }
        if local.weekday() >= SATURDAY:
            found.append(_("%(phase)s ends on a weekend: %(day)s, %(time)s.") % names)
        if local.hour < MORNING:
            found.append(_("%(phase)s ends at night: %(time)s.") % names)
    return found
