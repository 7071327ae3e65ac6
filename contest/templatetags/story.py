"""The bar of a story above a real page."""

from __future__ import annotations

from typing import Any

from django import template

from contest.models import Contest
from contest.pages.story import StoryPlace, place_in_story

register = template.Library()


@register.simple_tag(takes_context=True)
def story_place(context: dict[str, Any]) -> StoryPlace | None:
    """Where the reader is in a story; nothing for all others, who pay nothing for it."""
    request, contest = context.get("request"), context.get("contest")
    if request is None or not isinstance(contest, Contest) or not request.GET.get("story"):
        return None
    return place_in_story(contest, request.GET["story"], request.path)
