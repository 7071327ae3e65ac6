"""Markdown that people wrote, in templates."""

from __future__ import annotations

from django import template
from django.utils.safestring import SafeString

from contest.language.markdown import to_html

register = template.Library()


@register.filter
def markdown(text: str) -> SafeString:
    """Text as clean HTML.

    >>> markdown("Read the *rules*.").strip()
    '<p>Read the <em>rules</em>.</p>'
    """
    return to_html(text)
