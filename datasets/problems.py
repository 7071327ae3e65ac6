"""What can be wrong with a file: located, coded, and readable by a person."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt

CAP = 100
"""How many problems of one file are told; the rest is only counted."""

SHOWN = 40
"""How many characters of a cell a message quotes."""


@dataclass(frozen=True, order=True)
class Problem:
    """One fault of an upload: where it is, what stands there, what was expected.

    >>> print(Problem("T.csv", 17, "quantity", "not-natural", "-3", "a natural number up to 6 digits"))
    T.csv, line 17, column quantity: got '-3', expected a natural number up to 6 digits. [not-natural]
    """

    file: str
    line: int | None
    column: str | None
    code: str
    got: str | None
    expected: str

    def __str__(self) -> str:
        place = self.file
        if self.line is not None:
            place += f", line {self.line}"
        if self.column is not None:
            place += f", column {self.column}"
        got = "" if self.got is None else f"got '{self.got}', "
        return f"{place}: {got}expected {self.expected}. [{self.code}]"

    def as_dict(self) -> dict[str, str | int | None]:
        return asdict(self)


@dataclass(frozen=True)
class Verdict:
    """All problems of an upload, up to a cap a file; ``total`` counts also those beyond it."""

    problems: tuple[Problem, ...] = ()
    total: int = 0

    @property
    def ok(self) -> bool:
        return self.total == 0

    @classmethod
    def of(cls, *problems: Problem) -> Verdict:
        return cls(problems, len(problems))

    @classmethod
    def join(cls, verdicts: Iterable[Verdict]) -> Verdict:
        """One verdict on several files, in the order given."""
        parts = list(verdicts)
        told = tuple(problem for part in parts for problem in part.problems)
        return cls(told, sum(part.total for part in parts))

    def as_dict(self) -> dict[str, object]:
        return {
            "valid": self.ok,
            "problems": [problem.as_dict() for problem in self.problems],
            "total": self.total,
        }


class BadFiles(Exception):
    """Files that break the rules of their format. ``verdict`` tells every problem."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__("\n".join(str(problem) for problem in verdict.problems))
        self.verdict = verdict


class Findings:
    """Collects the problems of one file; however many there are, it holds a bounded number of them."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.total = 0
        self._kept: list[tuple[int, int, Problem]] = []

    def add(
        self,
        code: str,
        expected: str,
        *,
        line: int | None = None,
        column: str | None = None,
        got: bytes | str | None = None,
        rank: int = 0,
    ) -> None:
        """Note one problem. ``rank`` orders the columns of one line."""
        told = None if got is None else shown(got)
        self._note([(line or 0, rank, Problem(self.file, line, column, code, told, expected))], 1)

    def add_rows(
        self,
        code: str,
        expected: str,
        lines: npt.NDArray[np.integer],
        got: Callable[[int], bytes | str | None],
        *,
        column: str | None = None,
        rank: int = 0,
    ) -> None:
        """Note one problem a line; ``got(k)`` is the text on the k-th of the lines, asked only where told."""
        if len(lines) == 0:
            return
        first = range(len(lines)) if len(lines) <= CAP else np.argsort(lines, kind="stable")[:CAP].tolist()
        noted = []
        for k in first:
            text, line = got(k), int(lines[k])
            told = None if text is None else shown(text)
            noted.append((line, rank, Problem(self.file, line, column, code, told, expected)))
        self._note(noted, len(lines))

    def verdict(self) -> Verdict:
        self._trim()
        return Verdict(tuple(problem for _, _, problem in self._kept), self.total)

    def _note(self, noted: list[tuple[int, int, Problem]], count: int) -> None:
        self.total += count
        self._kept += noted
        if len(self._kept) > 20 * CAP:
            self._trim()

    def _trim(self) -> None:
        self._kept.sort(key=lambda kept: kept[:2])
        del self._kept[CAP:]


def shown(text: bytes | str) -> str:
    r"""A cell as a message may quote it: short, and nothing in it can disturb a terminal or a page.

    >>> shown(b"caf\xe9\x00"), shown("\u202eabc"), shown("x" * 50)[-3:]
    ('caf\\xe9\\x00', '\\u202eabc', 'xx…')
    """
    if isinstance(text, bytes):
        text = text[: 4 * SHOWN].decode("utf-8", "backslashreplace")
    cut = text[:SHOWN]
    safe = "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in cut
    )
    return safe + "…" if len(text) > SHOWN else safe
