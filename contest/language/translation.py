"""What the numerics say, in the visitor's language.

The numerics know nothing of the web and speak English: they describe their methods, and they report what is
wrong as messages (`datasets.messages`). Both are put into words here when they are shown, so everybody reads
a stored message in their own language.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.utils.translation import gettext

from anonymizers.registry import EVERY_ANONYMIZER
from anonymizers.table_registry import TABLE_METHODS
from attacks.registry import EVERY_ATTACK
from contest.board.ranking import RANKINGS, VERDICTS
from contest.declarations.contest import CONTEST
from contest.declarations.data import DATA
from contest.declarations.game import GAME
from contest.declarations.phase import PHASE
from contest.declarations.round import ROUND
from datasets import file_stream
from datasets.messages import TEMPLATES, Message, message_from, unknown_words
from datasets.rules import RULES
from games import findings, zips
from games.codabench import bundle
from games.contract import broken, files, folders, guard, messages, reading, sentences
from games.laws import LAWS
from scoring.limits import limit_settings
from scoring.registry import MEASURES, MEASURES_2017, MEASURES_2018, PANEL_RISKS, RISKS

SPEAKERS = (
    broken, bundle, file_stream, files, findings, folders, guard, messages, reading, sentences, zips,
)  # fmt: skip
"""Modules whose messages reach pages by what is stored alone; loading them makes their templates known."""
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


def say(what: object) -> str:
    """A message (as it was made or as it was stored) or a description, in the language of the moment.

    Any other text is returned as it is, such as the sentences that version 0.1 stored: only where such a
    sentence has no values in it is its translation still known.

    >>> say("at least one row")
    'at least one row'
    """
    message = what if isinstance(what, Message) else message_from(what)
    if message is not None:
        return message.words(gettext)
    if isinstance(what, Mapping):
        return unknown_words(what)
    return gettext(str(what)) if what else ""


def say_problem(problem: Mapping[str, Any]) -> dict[str, Any]:
    """A stored problem of a file with its words, but not the quoted cell, in the visitor's language."""
    got, expected = problem["got"], problem["expected"]
    return {
        **problem,
        "expected": say(expected),
        "got": say(got) if isinstance(got, Mapping) else got,
        "values": expected.get("values", {}) if isinstance(expected, Mapping) else {},
    }


def registry_texts() -> Iterator[str]:
    """Every text that is not marked where it is written: of methods, of settings, and of messages."""
    for gallery in GALLERIES:
        for method in gallery:
            yield from (text for name in DESCRIBED if (text := getattr(method, name, "")))
            yield from (parameter.meaning for parameter in getattr(method, "parameters", ()))
            yield from getattr(method, "tie_breaks", ())
    for setting in (*CONTEST, *ROUND, *PHASE, *DATA, *GAME, *RULES, *limit_settings()):
        yield setting.label
        yield from (text for text in (setting.help, *(label for _value, label in setting.choices)) if text)
    yield from ((law.__doc__ or "").strip() for law in LAWS.values())
    yield from (TEMPLATES[code].text for code in sorted(TEMPLATES))
    yield from VERDICTS
