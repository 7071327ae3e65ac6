"""Sentences with values that the games of the house say, in the language of the moment."""

from __future__ import annotations

from django.utils.translation import gettext, ngettext

from contest.language.figures import figure, percent
from games.formats.texts import Figure, Said, Share, Value


def in_words(said: Said) -> str:
    """
    >>> in_words(Said("%(n)s of %(all)s rows: %(share)s", values={"n": 7, "all": 1200, "share": Share(0.25)}))
    '7 of 1,200 rows: 25.0\\xa0%'
    """
    text = ngettext(said.text, said.plural, said.count) if said.plural else gettext(said.text)
    return text % {name: shown(value) for name, value in said.values.items()}


def shown(value: Value) -> str:
    """A value as sentences show it.

    >>> [shown(value) for value in ("1,5", 1200, Figure(0.69871), Share(None))]
    ['1,5', '1,200', '0.699', '–']
    """
    if isinstance(value, Share):
        return percent(value.value)
    if isinstance(value, Figure):
        return figure(value.value)
    return f"{value:,}" if isinstance(value, int) else value
