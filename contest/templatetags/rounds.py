"""What the pages of a round ask about it."""

from __future__ import annotations

from typing import Any

from django import template

from contest import access
from contest.models import Phase, Round

register = template.Library()


@register.filter
def hides(round_: Round) -> bool:
    """Whether teams hand in entries in a round; otherwise the organisers bring all targets."""
    return any(phase.kind == Phase.Kind.ANONYMISE for phase in round_.phases.all())


@register.simple_tag(takes_context=True)
def has_reveal(context: dict[str, Any], round_: Round) -> bool:
    """Whether the reader may see the reveal of a round, where there is one or the board stands still."""
    request = context.get("request")
    if request is None or not (round_.reveal_in_steps or access.stands_still(round_)):
        return False
    return access.sees_reveal(request.user, round_)
