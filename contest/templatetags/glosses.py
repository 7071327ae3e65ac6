"""Terms that explain themselves: on hover, focus and touch, and without any script.

A term is a button whose popover says what it means. It is explained where a page names it first; after that
it is plain text, so that no page asks its readers to pass the same button twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template
from django.template import Context
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from contest.language.declared import readable, title_of
from contest.language.glossary import GLOSSARY, Gloss, declared_terms, number_gloss, sign_gloss
from contest.language.translation import say
from games.formats.measures import measure as find_measure

register = template.Library()

SEEN = "glossed"
"""Where the outermost context, which a page shares with all that it includes, lists what is explained."""
COLUMNS = {
    "auc": "area under the ROC curve",
    "found": "mean share found",
    "hits": "found",
    "rank": "place",
    "targets": "target",
}
"""Columns of boards whose term has another name."""


def explain(context: Context, key: str, label: Any, found: Gloss | None) -> SafeString:
    """The label with its explanation, or alone where there is none or the page has given it before."""
    seen = context.dicts[0].setdefault(SEEN, set())
    if found is None or not str(found.meaning) or key in seen:
        return conditional_escape(label)
    seen.add(key)
    name = "gloss-" + "-".join(key.split())
    return format_html(
        '<span class="gloss"><button type="button" popovertarget="{}" aria-describedby="{}">{}</button>'
        '<span popover id="{}"><strong>{}</strong> {}</span></span>',
        name, name, label, name, found.term, found.meaning,
    )  # fmt: skip


@register.simple_tag(takes_context=True)
def gloss(context: Context, key: str, label: Any = "") -> SafeString:
    """A term of the platform, or a sign of a file, under its own name or under a label.

    >>> gloss(Context(), "no such term", "label")
    'label'
    """
    found = GLOSSARY.get(key) or sign_gloss(key)
    return explain(context, key, label or (found.term if found and key in GLOSSARY else key), found)


@register.simple_tag(takes_context=True)
def gloss_measure(context: Context, name: str, label: Any = "") -> SafeString:
    """A measure of the house: under a label, or under its code."""
    measure = find_measure(name)
    found = Gloss(say(measure.title), say(measure.meaning))
    return explain(context, f"measure-{name}", label or format_html("<code>{}</code>", name), found)


@register.simple_tag(takes_context=True)
def gloss_column(context: Context, column: Any) -> SafeString:
    """The head of a column of a game's board: as the game explains it, else as the platform does."""
    number = column.number
    label = title_of(number) if number else readable(column.name)
    found = (number_gloss(number) if number else None) or GLOSSARY.get(COLUMNS.get(column.name, column.name))
    return explain(context, f"column-{column.name}", label, found)


@register.simple_tag(takes_context=True)
def words_here(context: Context, *keys: str, terms: Any = None) -> SafeString:
    """A line of the terms that the page uses, each with its explanation: those given, and those of a game."""
    shown = [explain(context, key, GLOSSARY[key].term, GLOSSARY[key]) for key in keys]
    if isinstance(terms, Mapping):
        shown += [explain(context, sign, sign, sign_gloss(sign)) for sign in terms]
    elif terms:
        shown += [explain(context, key, one.term, one) for key, one in declared_terms(terms).items()]
    listed = format_html_join(" · ", "{}", ((one,) for one in shown))
    return format_html('<p class="soft small words">{} {}</p>', _("Words on this page:"), listed)
