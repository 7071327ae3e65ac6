"""What is odd about a file as a whole: the cause, how certain it is, and what to do about it.

Problems say where a file breaks a rule; a remark says why. One about a file that was accepted all the same
says how it was read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from datasets.messages import Message, Template, message_from

Certainty = Literal["certain", "likely"]

IN_FILE = Template("remark.file", "%(file)s: %(cause)s")
IN_COLUMN = Template("remark.column", "%(file)s, column %(column)s: %(cause)s")
WITH_ADVICE = Template("remark.advice", "%(said)s %(advice)s")

MOST = 12
"""How many remarks an upload gets; those that come first explain most."""


@dataclass(frozen=True)
class Remark:
    """A cause, as a sentence, of everything or of many things that are wrong with a file.

    >>> EMPTY = Template("remark.example", "The file is empty.")
    >>> print(Remark("M.csv", EMPTY()))
    M.csv: The file is empty.
    """

    file: str
    cause: Message
    advice: Message | None = None
    column: str | None = None
    certainty: Certainty = "certain"
    accepted: bool = False
    """The file was read all the same, in the way that the cause says."""

    def __str__(self) -> str:
        return str(self.message)

    @property
    def code(self) -> str:
        """The cause, up to a dot where its sentence varies."""
        return self.cause.code.partition(".")[0]

    @property
    def message(self) -> Message:
        """Place, cause and advice in one."""
        if self.column is None:
            said = IN_FILE(file=self.file, cause=self.cause)
        else:
            said = IN_COLUMN(file=self.file, column=self.column, cause=self.cause)
        return said if self.advice is None else WITH_ADVICE(said=said, advice=self.advice)

    def as_dict(self) -> dict[str, Any]:
        """In English words."""
        advice = None if self.advice is None else str(self.advice)
        return self._about() | {"cause": str(self.cause), "advice": advice}

    def as_data(self) -> dict[str, Any]:
        """As it is stored, to be put into words when it is shown."""
        advice = None if self.advice is None else self.advice.as_data()
        return self._about() | {"cause": self.cause.as_data(), "advice": advice}

    def _about(self) -> dict[str, Any]:
        return {
            "file": self.file,
            "column": self.column,
            "code": self.code,
            "certainty": self.certainty,
            "accepted": self.accepted,
        }


def remark_from(data: Mapping[str, Any]) -> Remark | None:
    """The stored remark; None where this version does not know its words."""
    cause, advice = message_from(data.get("cause")), message_from(data.get("advice"))
    if cause is None:
        return None
    certainty: Certainty = "likely" if data.get("certainty") == "likely" else "certain"
    column = data.get("column")
    return Remark(
        str(data.get("file", "")),
        cause,
        advice,
        None if column is None else str(column),
        certainty,
        bool(data.get("accepted")),
    )


def foremost(remarks: Iterable[Remark]) -> tuple[Remark, ...]:
    """Each remark once, what is certain first, and not too many of them."""
    once = list(dict.fromkeys(remarks))
    return tuple(sorted(once, key=lambda it: (it.accepted, it.certainty != "certain"))[:MOST])
