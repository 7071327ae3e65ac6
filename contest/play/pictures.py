"""The pictures of entries and answers, as a game draws them. What it breaks here spoils no number."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from contest.play.table import Table
from datasets.messages import Message
from games.contract.broken import OTHER_NUMBER, BrokenGame, GameFailed
from games.contract.pictures import plain_pictures
from games.contract.values import Question, Result, Target

logger = logging.getLogger(__name__)
MOST_LOG = 100_000


@dataclass(frozen=True)
class Illustrated:
    """The pictures that were drawn of one thing, or what went wrong instead."""

    drawn: list[dict[str, Any]] = field(default_factory=list)
    fault: Message | str = ""
    log: str = ""

    def as_data(self) -> dict[str, Any]:
        fault = self.fault.as_data() if isinstance(self.fault, Message) else self.fault
        return {"drawn": self.drawn, "fault": fault, "log": self.log}


def digest(drawn: Sequence[Any]) -> str:
    """A hash of pictures, by which two readings of the same numbers are compared."""
    return hashlib.sha256(json.dumps(drawn, sort_keys=True).encode()).hexdigest()


def illustrated_entry(table: Table, target: Target) -> Illustrated:
    """The pictures of an entry; the target holds all that `measure` sees."""
    declared = table.declared.entry_pictures()
    if not declared:
        return Illustrated()

    def drawn() -> list[Illustrated]:
        return [Illustrated(plain_pictures(declared, table.game.pictures(table.world(), target)))]

    (made,) = _safely("pictures", drawn, 1)
    return made


def illustrated_answers(
    table: Table, questions: Sequence[Question], results: Sequence[Result]
) -> list[Illustrated]:
    """The pictures of answers, in the order of their results."""
    judged = list(zip(questions, results, strict=True))
    if not any(table.declared.answer_pictures(question.challenge) for question in questions):
        return [Illustrated()] * len(judged)

    def drawn() -> list[Illustrated]:
        given = list(table.game.answer_pictures_all(table.world(), judged))
        if len(given) != len(judged):
            raise BrokenGame(OTHER_NUMBER(got=len(given), n=len(judged)))
        return [
            Illustrated(plain_pictures(table.declared.answer_pictures(question.challenge), one))
            for (question, _), one in zip(judged, given, strict=True)
        ]

    return _safely("answer_pictures", drawn, len(judged))


def _safely(verb: str, drawn: Callable[[], list[Illustrated]], n: int) -> list[Illustrated]:
    try:
        return drawn()
    except BrokenGame as error:
        broken = error
    except Exception as error:  # noqa: BLE001 - whatever a game raises here, its numbers are made already
        broken = GameFailed(verb, f"{type(error).__name__}: {error}")
    broken.verb = broken.verb or verb
    logger.warning("the pictures of a game failed: %s", broken.sentence)
    return [Illustrated([], broken.sentence, broken.log[:MOST_LOG])] * n
