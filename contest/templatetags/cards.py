"""How a page describes itself to search engines and in shared links."""

from __future__ import annotations

from html import unescape
from typing import Any

from django import template
from django.urls import reverse
from django.utils.html import strip_tags
from django.utils.text import Truncator
from django.utils.translation import get_language

from contest import access
from contest.models import Attack, Contest, Entry, Round

register = template.Library()

LONGEST = 200
"""Search engines cut descriptions at about this many characters."""


@register.simple_block_tag
def plain(content: str) -> str:
    """The content as one line of plain text, without markup and not longer than other sites show."""
    return Truncator(" ".join(unescape(strip_tags(content)).split())).chars(LONGEST)


SHARED = frozenset({"contest", "leaderboard", "events", "rank_history", "matrix", "rules", "overall"})
"""Pages whose shared links show the top of a board."""


@register.simple_tag(takes_context=True)
def share_picture(context: dict[str, Any]) -> str:
    """The address of the picture of a shared link; nothing where the site's own one is right."""
    match = context["request"].resolver_match
    contest, round_ = context.get("contest"), context.get("round")
    if match is None or match.url_name not in SHARED or not isinstance(contest, Contest):
        return ""
    if isinstance(round_, Round):
        # The version lets sites that remember pictures see that there is a new one.
        address = reverse("round_share", args=[contest.slug, round_.slug])
        return f"{address}?lang={get_language()}&v={round_.board_version}"
    return f"{reverse('contest_share', args=[contest.slug])}?lang={get_language()}"


@register.simple_tag(takes_context=True)
def is_for_everybody(context: dict[str, Any]) -> bool:
    """Whether people who are not logged in see this page too: a draft must not get into a search engine."""
    contest, round_ = context.get("contest"), context.get("round")
    if isinstance(contest, Contest) and not contest.is_public:
        return False
    if isinstance(round_, Round) and not access.is_announced(round_):
        return False
    entry, attack = context.get("entry"), context.get("attack")
    if isinstance(entry, Entry):
        return entry.is_official and access.results_are_public(entry.round)
    if isinstance(attack, Attack):
        return not attack.is_dry_run and access.results_are_public(attack.round)
    return True
