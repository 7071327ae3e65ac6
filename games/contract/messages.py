"""What a game's own checks say to teams: declared sentences with values, never free text."""

from __future__ import annotations

from collections.abc import Iterable

from datasets.messages import Message, Template
from datasets.problems import Problem, shown
from games.contract.declaration import Declaration, Text, in_language
from games.contract.values import Fault, FileVerdict, Wrong

SAID_BY_GAME = Template("game-check", "%(words)s")
"""As rows of earlier versions hold it, in English alone."""
SAID_IN_LANGUAGES = Template("game-check.languages", "en", languages=("en", "ja"))
"""The game's own words in both languages; the translation of its text names the other one."""
UNDECLARED = Template("game-check.undeclared", "what the game's rules say (%(code)s)")


def problem_of(declaration: Declaration, fault: Fault) -> Problem:
    """A fault that a game found, as a problem; a code that is not declared tells nothing else."""
    got = None if fault.got is None else shown(fault.got)
    return Problem(fault.file, fault.line, fault.column, got, expected_by(declaration, fault))


def verdict_of(declaration: Declaration, said: Iterable[Wrong]) -> FileVerdict:
    """All that a game found wrong, in its order."""
    return FileVerdict.join(
        FileVerdict.of(problem_of(declaration, one)) if isinstance(one, Fault) else one for one in said
    )


def in_languages(text: Text) -> Message:
    """Words of a game in both languages, as a part of other messages."""
    return SAID_IN_LANGUAGES(**{language: in_language(text, language) for language in ("en", "ja")})


def expected_by(declaration: Declaration, fault: Fault) -> Message:
    text = declaration.messages.get(fault.code)
    if text is None:
        return UNDECLARED(code=shown(fault.code))
    try:
        words = {language: in_language(text, language) % dict(fault.values) for language in ("en", "ja")}
    except (KeyError, ValueError, TypeError):
        return UNDECLARED(code=shown(fault.code))
    return SAID_IN_LANGUAGES(**words)
