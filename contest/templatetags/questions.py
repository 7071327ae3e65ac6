"""How many questions wait for an answer, for the tabs of the organisers."""

from __future__ import annotations

from django import template

from contest import access
from contest.models import Contest

register = template.Library()


@register.simple_tag
def waiting_questions(contest: Contest) -> int:
    """The number of questions without an answer."""
    return access.open_questions_of(contest).count()
