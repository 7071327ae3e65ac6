"""Texts of the numerics in the visitor's language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from contest.language.game_words import worded as _worded
from contest.language.said import in_words
from contest.language.translation import say as _say
from games.formats import texts

register = template.Library()


@register.filter
def say(what: Any) -> str:
    """A message or a description of the numerics in the visitor's language."""
    return _say(what)


@register.filter
def said(sentence: texts.Said | None) -> str:
    """A sentence of a game with its values."""
    return in_words(sentence) if sentence else ""


@register.filter
def sizes(facts: Mapping[str, Any]) -> list[str]:
    """How large a data set is, by the facts about it."""
    return [in_words(size) for size in texts.sizes(facts)]


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
