"""Which entry of a team counts, on every page in the same words."""

from __future__ import annotations

from typing import Any

from django import template
from django.forms import BoundField

from contest.board.official import counting_now, rule_in_words
from contest.models import Round, Team

register = template.Library()


@register.simple_tag
def which_counts(round_: Round) -> str:
    return rule_in_words(round_)


@register.inclusion_tag("contest/_counting_now.html")
def counts_now(round_: Round, team: Team, slot: str = "") -> dict[str, Any]:
    """The rule, and the entry that counts by it while another one is handed in."""
    return {"rule": rule_in_words(round_), "now": counting_now(round_, team, slot)}


@register.inclusion_tag("contest/_keep_counting.html")
def keep_counting(round_: Round, team: Team, field: BoundField, slot: str = "") -> dict[str, Any]:
    """Ask whether the new entry may replace the one that counts, where one counts and is not pinned."""
    now = counting_now(round_, team, slot)
    return {"now": None if now is None or now.is_pinned else now, "field": field}
