"""What the numerics say, in the visitor's language.

The numerics know nothing of the web and speak English: they describe their methods, and they report what is
wrong as messages (`datasets.messages`). Both are put into words here when they are shown, so everybody reads
a stored message in their own language.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.utils.translation import gettext

from anonymizers.table_registry import TABLE_METHODS
from contest.board.ranking import RANKINGS, VERDICTS
from contest.declarations.contest import CONTEST
from contest.declarations.game import GAME
from contest.declarations.phase import PHASE, SHIFT
from contest.declarations.round import ROUND
from datasets import file_stream
from datasets.messages import TEMPLATES, Message, message_from, unknown_words
from games import findings, zips
from games.codabench import bundle
from games.contract import broken, files, folders, guard, messages, reading, sentences
from games.formats.attacks import EVERY_ATTACK
from games.formats.limits import limit_settings
from games.formats.measures import EVERY_MEASURE
from games.formats.methods import EVERY_ANONYMIZER
from games.formats.rules import FIXED_ONCE_MEASURED, RULES
from games.formats.sources import DATA, WAYS
from games.formats.texts import TEXTS
from games.laws import LAWS
from scoring.registry import PANEL_RISKS, RISKS

SPEAKERS = (
    broken, bundle, file_stream, files, findings, folders, guard, messages, reading, sentences, zips,
)  # fmt: skip
"""Modules whose messages reach pages by what is stored alone; loading them makes their templates known."""
GALLERIES: tuple[Iterable[Any], ...] = (
    EVERY_MEASURE,
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


def say_remark(remark: Mapping[str, Any]) -> dict[str, Any]:
    """A stored remark about a file in the visitor's language."""
    return {**remark, "cause": say(remark["cause"]), "advice": say(remark["advice"] or "")}


def registry_texts() -> Iterator[str | tuple[str, str]]:
    """Every text that is not marked where it is written: of methods, of settings, and of messages."""
    for gallery in GALLERIES:
        for method in gallery:
            yield from (text for name in DESCRIBED if (text := getattr(method, name, "")))
            yield from (parameter.meaning for parameter in getattr(method, "parameters", ()))
            yield from getattr(method, "tie_breaks", ())
    for setting in (*CONTEST, *ROUND, *PHASE, *SHIFT, *DATA, *GAME, *RULES, *limit_settings()):
        yield setting.label
        yield from (text for text in (setting.help, *(label for _value, label in setting.choices)) if text)
    for way in WAYS:
        yield way.title
        yield from () if way.file is None else (way.file.label,)
    yield from ((law.__doc__ or "").strip() for law in LAWS.values())
    yield from (TEMPLATES[code].text for code in sorted(TEMPLATES))
    yield from VERDICTS
    yield from FIXED_ONCE_MEASURED.values()
    yield from ((text, plural) if plural else text for text, plural in sorted(TEXTS.items()))
