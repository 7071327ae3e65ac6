"""Texts of the numerics in the visitor's language."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from contest.language.game_words import worded as _worded
from contest.language.translation import say as _say

register = template.Library()


@register.filter
def say(what: Any) -> str:
    """A message or a description of the numerics in the visitor's language."""
    return _say(what)


@register.filter
def worded(text: Any) -> str:
    """A text that a game declares in several languages."""
    return _worded(text)


@register.filter
def ticks(text: str) -> SafeString:
    """Text between back-ticks, as code.

    >>> ticks("Start `a < b`.")
    'Start <code>a &lt; b</code>.'
    """
    parts = str(text).split("`")
    if len(parts) % 2 == 0:
        return format_html("{}", text)
    pieces = [("<code>{}</code>" if place % 2 else "{}", part) for place, part in enumerate(parts)]
    return format_html_join("", "{}", ((format_html(form, part),) for form, part in pieces))
