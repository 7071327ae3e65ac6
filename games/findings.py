"""What the laws say of a game: findings, and the sentences in them, which are put into words when shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from datasets.messages import Message, Template

DECLARED_OFF = Template("law.declared-off", "The game declares that it does not hold: %(reason)s")
BROKE = Template("law.broke", "The game broke: %(error)s")
EXAMPLE_BROKE = Template("law.example-broke", "The game broke.")
NOT_COVERED = Template("law.not-covered", "%(example)s: the answer does not cover %(challenge)s.")
OTHER_PROBLEMS = Template("law.problems", "%(example)s: got the problems %(got)s, expected %(expected)s.")
OTHER_PROBLEMS_FIRST = Template(
    "law.problems-first", "%(example)s: got the problems %(got)s (%(first)s), expected %(expected)s."
)
OTHER_NUMBER = Template("law.number", "%(what)s: got %(got)s, expected %(expected)s.")
DIFFER = Template("law.differ", "The two differ.")
SECOND_FAILED = Template("law.second-failed", "The second process failed: %(error)s")
PUBLISHED_DIFFER = Template("law.published-differ", "The published files of %(team)s differ.")
HOLDS_SECRET = Template("law.holds-secret", "%(file)s holds %(secret)s.")
UNCHANGED_REFUSED = Template("law.unchanged-refused", "Unchanged data are refused: %(problem)s")
TRUTH_REFUSED = Template("law.truth-refused", "The answer from the truth is refused: %(problem)s")
NO_RISK = Template("law.no-risk", "The truth about %(target)s in %(challenge)s has no risk.")
TRUTH_BEATEN = Template("law.truth-beaten", "%(attack)s beats the truth about %(target)s in %(challenge)s.")
BLIND_IS_FAR = Template(
    "law.blind-is-far",
    "Blind guessing has %(risk)s against %(target)s, its baseline is %(baseline)s.",
)
NEVER_DRAWN = Template("law.never-drawn", "The picture %(picture)s is declared and never drawn.")
MISSING_TAKEN = Template("law.missing-taken", "%(file)s: a missing file is taken.")
FOREIGN_TAKEN = Template("law.foreign-taken", "%(file)s: a foreign file is taken.")
EMPTY_TAKEN = Template("law.empty-taken", "%(file)s: an empty file is taken.")
UNREADABLE_TAKEN = Template("law.unreadable-taken", "%(file)s: an unreadable file is taken.")


@dataclass(frozen=True)
class Finding:
    """What a law says of a game: None where it has nothing to look at."""

    law: str
    meaning: str
    holds: bool | None
    detail: Message | None = None
    parts: tuple[Finding, ...] = ()
    """Of the examples: what came of each."""

    @property
    def text(self) -> str:
        """The detail in English; empty where there is none."""
        return "" if self.detail is None else str(self.detail)

    def as_data(self) -> dict[str, Any]:
        """As it is stored, to be put into words when it is shown."""
        return self._with(
            "" if self.detail is None else self.detail.as_data(), [one.as_data() for one in self.parts]
        )

    def as_dict(self) -> dict[str, Any]:
        """In English words."""
        return self._with(self.text, [one.as_dict() for one in self.parts])

    def _with(self, detail: Any, parts: list[dict[str, Any]]) -> dict[str, Any]:
        found = {"law": self.law, "meaning": self.meaning, "holds": self.holds}
        return {**found, "detail": detail, "parts": parts}
