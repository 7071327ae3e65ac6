"""What the numerics say, in the visitor's language.

The numerics know nothing of the web and speak English: they describe their methods, and they tell what is
wrong in sentences with values in them. Both are looked up here at the moment they are shown, so a stored
text is read by everybody in their own language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from django.utils.translation import get_language, gettext

from anonymizers.registry import EVERY_ANONYMIZER
from anonymizers.table_registry import TABLE_METHODS
from attacks.registry import EVERY_ATTACK
from contest.phrases import PHRASES
from contest.ranking import RANKINGS
from scoring.registry import MEASURES, MEASURES_2017, MEASURES_2018, PANEL_RISKS, RISKS

GALLERIES: tuple[Iterable[Any], ...] = (
    MEASURES,
    MEASURES_2017,
    MEASURES_2018,
    RISKS,
    PANEL_RISKS,
    EVERY_ATTACK,
    EVERY_ANONYMIZER,
    TABLE_METHODS,
    RANKINGS,
)
DESCRIBED = ("title", "meaning", "exploits", "cost", "unit", "formula", "verdict_text")
LONGEST = 2000
"""Longer texts are logs, not sentences."""
COUNTED = frozenset(
    {
        "too-many-customers",
        "customers-dropped",
        "rows-dropped",
        "rows-added",
        "row-count",
        "line-count",
        "ragged-row",
        "too-many-members",
    }
)
"""Problems whose "got" is a count in our words; elsewhere it quotes a cell and must stay as it is."""


def say(text: str) -> str:
    """An English text of the numerics in the language of the moment; as it is where nothing is known of it.

    >>> say("at least one row")
    'at least one row'
    """
    if not text or get_language() in (None, "en"):
        return text
    return _said(text, depth=0)


def _said(text: str, depth: int) -> str:
    known = gettext(text)
    if known != text or len(text) > LONGEST or depth > 3:
        return known
    for phrase, pattern in _patterns():
        match = pattern.fullmatch(text)
        if match:
            values = {name: _said(value, depth + 1) for name, value in match.groupdict().items()}
            return gettext(phrase) % values
    return text


def say_problem(problem: Mapping[str, Any]) -> dict[str, Any]:
    """A stored problem of a file with its words, but not the quoted cell, in the visitor's language."""
    said = dict(problem, expected=say(problem["expected"]))
    if problem["code"] in COUNTED and problem["got"]:
        said["got"] = say(problem["got"])
    return said


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((phrase, _pattern(phrase)) for phrase in PHRASES if "%(" in phrase)


def _pattern(phrase: str) -> re.Pattern[str]:
    """What a phrase looks like once its values stand in it."""
    parts = re.split(r"%\((\w+)\)s", phrase)
    names = [f"(?P<{part}>.+?)" if place % 2 else re.escape(part) for place, part in enumerate(parts)]
    return re.compile("".join(names), re.DOTALL)


def registry_texts() -> Iterator[str]:
    """Every text of the numerics that is shown: descriptions of methods, and the phrases."""
    for gallery in GALLERIES:
        for method in gallery:
            yield from (text for name in DESCRIBED if (text := getattr(method, name, "")))
            yield from (parameter.meaning for parameter in getattr(method, "parameters", ()))
            yield from getattr(method, "tie_breaks", ())
    yield from PHRASES
