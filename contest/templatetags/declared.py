"""What games declare, in the visitor's language."""

from __future__ import annotations

from typing import Any

from django import template

from contest.language import declared
from contest.language.game_words import worded

register = template.Library()


@register.filter
def titled(described: Any) -> str:
    """The title of what a game declares, or a name in readable form."""
    return declared.readable(described) if isinstance(described, str) else declared.title_of(described)


@register.filter
def in_words(text: Any) -> str:
    """A text of a declaration in the visitor's language."""
    return worded(text) if text else ""


@register.filter
def column_title(column: Any) -> str:
    """The title of a column of a board."""
    return declared.title_of(column.number) if column.number else declared.readable(column.name)
