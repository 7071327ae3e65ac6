"""Texts of the numerics in the visitor's language."""

from __future__ import annotations

from django import template

from contest.words import say as _say

register = template.Library()


@register.filter
def say(text: str | None) -> str:
    """A description or sentence of the numerics, translated where it is known."""
    return _say(str(text)) if text else ""
