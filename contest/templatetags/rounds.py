"""What the pages of a round ask about it."""

from __future__ import annotations

from django import template

from contest.models import Phase, Round

register = template.Library()


@register.filter
def hides(round_: Round) -> bool:
    """Whether teams hand in entries in a round; otherwise the organisers bring all targets."""
    return any(phase.kind == Phase.Kind.ANONYMISE for phase in round_.phases.all())
