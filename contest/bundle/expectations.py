"""What is expected in a bundle, as messages; what the schema expects is said in its own descriptions."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from anonymizers.parameters import ONE_OF
from contest.bundle.declared import ROUND
from contest.bundle.schema import build_schema
from contest.declarations.contest import CONTEST
from contest.declarations.game import GAME
from contest.declarations.phase import PHASE
from contest.declarations.round import SEED
from datasets.messages import TEMPLATES, Message, Template
from games.formats.limits import LIMIT
from games.formats.rules import RULES
from games.formats.sources import DATA

A_MAPPING = Template("bundle.contest", "a mapping that describes a contest")
A_KEY = Template("bundle.key", "a key '%(key)s'")
SOMETHING_ELSE = Template("bundle.something-else", "something else")
NEARLY = Template("bundle.nearly", "%(name)s, or another one of %(names)s")
A_TITLE = Template("bundle.title", "a title of visible letters of one script")
A_NAME_OF = Template("bundle.name-of", "a name of 1 to %(n)s characters")
A_NAME_ONCE = Template("bundle.name-once", "a name once")
A_USED_DATA_SET = Template("bundle.used-data", "a data set that a round uses")
ONE_SOURCE = Template("bundle.one-source", "exactly one of %(names)s")
ANOTHER_SLUG = Template("bundle.another-slug", "a slug that no other round has")
NO_PART = Template("bundle.no-part", "no %(part)s in %(name)s")
ONE_BOUND = Template("bundle.one-bound", "either at-most or at-least")
AT_LEAST = Template("bundle.at-least", "at-least: %(measure)s is better when higher")
OTHER_PARAMETERS = Template("bundle.other-parameters", "other parameters: %(problem)s")
A_TIME_THAT_EXISTS = Template("bundle.time", "a time that exists")
AFTER_THE_START = Template("bundle.after-start", "a time after the start, %(start)s")
NOT_BEFORE_THE_END = Template("bundle.not-before", "a start not before the end of %(phase)s, %(end)s")
WHILE_IT_IS_PLAYED = Template(
    "bundle.while-played", "a time within the phases of the round, before its results"
)
A_FILE_BESIDE = Template("bundle.file-beside", "a file %(name)s beside the bundle")
A_FILE_IN_ZIP = Template("bundle.file-in-zip", "a file %(name)s in the zip")
THE_FILE = Template("bundle.the-file", "the file %(name)s with sha256 %(sha256)s")
A_SOUND_ZIP = Template("bundle.sound-zip", "a valid zip (%(problem)s)")
NOT_WITH_A_GAME = Template("bundle.not-with-a-game", "no '%(key)s' where a game is played")
ONLY_WITH_A_GAME = Template("bundle.only-with-a-game", "no '%(key)s' where no game is played")
A_SOUND_GAME = Template("bundle.sound-game", "a game that can be used: %(problem)s")
UTF8 = Template("bundle.utf8", "text in UTF-8")
DECLARED = (*CONTEST, *ROUND, *DATA, *GAME, *PHASE, *RULES, SEED, LIMIT)
SETTINGS = {str(setting.expected): setting.expected for setting in DECLARED}
"""What settings expect, by its English, which is the description in the schema."""


@lru_cache
def schema() -> dict[str, Any]:
    """The published JSON schema of a bundle."""
    return build_schema()


def one_of(known: Iterable[str], got: str) -> Message:
    """The known names, and first the one that was probably meant."""
    names = list(known)
    near = difflib.get_close_matches(got, names, n=1)
    return NEARLY(name=near[0], names=names) if near else ONE_OF(names=names)


def described(rules: Mapping[str, Any]) -> Message:
    """What a rule of the schema expects."""
    text = rules.get("description")
    if not isinstance(text, str):
        return SOMETHING_ELSE()
    return SETTINGS.get(text) or TEMPLATES[_code(text)]()


def _code(text: str) -> str:
    return "bundle.schema." + re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _rules(node: Any) -> Iterator[Mapping[str, Any]]:
    """Every rule of the schema that has a description, at any depth."""
    if isinstance(node, dict):
        if isinstance(node.get("description"), str):
            yield node
        node = list(node.values())
    for part in node if isinstance(node, list) else []:
        yield from _rules(part)


def _declare_descriptions() -> None:
    for text in sorted({rules["description"] for rules in _rules(schema())} - set(SETTINGS)):
        Template(_code(text), text.replace("%", "%%"))


_declare_descriptions()
