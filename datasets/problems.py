"""What can be wrong with a file: located, coded, and readable by a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from datasets.messages import Message, Template
from datasets.remarks import Remark, foremost
from datasets.samples import Sample

CAP = 100
"""How many problems of one file are listed; the rest is only counted."""

FULL_CAP = 100_000
"""How many problems of one file the full list has. A file with more is wrong everywhere in the same way."""

_cap = ContextVar("cap", default=CAP)


@contextmanager
def listed_in_full() -> Iterator[None]:
    """Files that are checked in this context have up to `FULL_CAP` problems listed instead of `CAP`."""
    before = _cap.set(FULL_CAP)
    try:
        yield
    finally:
        _cap.reset(before)


FIRST = 3
"""How many problems of each kind are listed even where others come before them."""

SHOWN = 40
"""How many characters of a cell a message quotes."""

FILE_AND_LINE = Template("place.line", "%(file)s, line %(line)s")
FILE_AND_COLUMN = Template("place.column", "%(file)s, column %(column)s")
FILE_LINE_COLUMN = Template("place.line-and-column", "%(file)s, line %(line)s, column %(column)s")
PROBLEM = Template("problem", "%(place)s: expected %(expected)s. [%(code)s]")
PROBLEM_GOT = Template("problem.got", "%(place)s: got '%(got)s', expected %(expected)s. [%(code)s]")

ROWS = Template("got.rows", "%(n)s rows")
LINES = Template("got.lines", "%(n)s lines")
MISSING_FILE = Template("missing-file", "a file %(name)s")

Kind = tuple[str, str | None, str]
"""Problems of one kind are in the same file and column and break the same rule, which the code names."""


@dataclass(frozen=True)
class Problem:
    """One problem of an upload: where it is, what is there (a quoted cell, or a count), what was expected.

    >>> from datasets.setting import AN_INTEGER
    >>> print(Problem("T.csv", 17, "age", "-3", AN_INTEGER(low=0, high=120)))
    T.csv, line 17, column age: got '-3', expected an integer from 0 to 120. [setting]
    """

    file: str
    line: int | None
    column: str | None
    got: str | Message | None
    expected: Message

    def __str__(self) -> str:
        return str(self.message)

    @property
    def code(self) -> str:
        """The rule that is broken: the code of what was expected, up to a dot where that varies."""
        return self.expected.code.partition(".")[0]

    @property
    def message(self) -> Message:
        """The whole sentence."""
        values = {"place": self._place(), "expected": self.expected, "code": self.code}
        return PROBLEM(**values) if self.got is None else PROBLEM_GOT(got=self.got, **values)

    def _place(self) -> str | Message:
        if self.line is not None and self.column is not None:
            return FILE_LINE_COLUMN(file=self.file, line=self.line, column=self.column)
        if self.line is not None:
            return FILE_AND_LINE(file=self.file, line=self.line)
        if self.column is not None:
            return FILE_AND_COLUMN(file=self.file, column=self.column)
        return self.file

    @property
    def kind(self) -> Kind:
        return (self.file, self.column, self.code)

    def as_dict(self) -> dict[str, str | int | None]:
        """In English words."""
        got = None if self.got is None else str(self.got)
        return self._where() | {"got": got, "expected": str(self.expected)}

    def as_data(self) -> dict[str, Any]:
        """As it is stored, to be put into words when it is shown."""
        got = self.got.as_data() if isinstance(self.got, Message) else self.got
        return self._where() | {"got": got, "expected": self.expected.as_data()}

    def _where(self) -> dict[str, str | int | None]:
        return {"file": self.file, "line": self.line, "column": self.column, "code": self.code}


@dataclass(frozen=True)
class Verdict:
    """All problems of an upload, up to a cap per file; ``total`` and ``counts`` include those beyond it.

    ``remarks`` explain them, or say how odd files without problems were read.
    """

    problems: tuple[Problem, ...] = ()
    total: int = 0
    counts: tuple[tuple[Kind, int], ...] = ()
    remarks: tuple[Remark, ...] = ()

    @property
    def ok(self) -> bool:
        return self.total == 0

    @classmethod
    def of(cls, *problems: Problem) -> Verdict:
        counts = Counter(problem.kind for problem in problems)
        return cls(problems, len(problems), tuple(counts.items()))

    @classmethod
    def join(cls, verdicts: Iterable[Verdict]) -> Verdict:
        """One verdict on several files, in the order given."""
        parts = list(verdicts)
        listed = tuple(problem for part in parts for problem in part.problems)
        counts: Counter[Kind] = Counter()
        for part in parts:
            counts.update(dict(part.counts))
        remarks = tuple(remark for part in parts for remark in part.remarks)
        return cls(listed, sum(part.total for part in parts), tuple(counts.items()), remarks)

    def explained(self, remarks: Iterable[Remark]) -> Verdict:
        """The same problems with more remarks."""
        return replace(self, remarks=foremost((*self.remarks, *remarks)))

    def about(self, file: str) -> Verdict:
        """The same verdict on a file that people know by another name."""
        problems = tuple(replace(problem, file=file) for problem in self.problems)
        counts = tuple(((file, column, code), n) for (_, column, code), n in self.counts)
        remarks = tuple(replace(remark, file=file) for remark in self.remarks)
        return replace(self, problems=problems, counts=counts, remarks=remarks)

    def as_data(self) -> list[dict[str, Any]]:
        """Every problem as it is stored, and how many there are of its kind."""
        counts = dict(self.counts)
        return [problem.as_data() | {"of_kind": counts[problem.kind]} for problem in self.problems]

    def as_dict(self) -> dict[str, object]:
        return {
            "valid": self.ok,
            "remarks": [remark.as_dict() for remark in self.remarks],
            "problems": [problem.as_dict() for problem in self.problems],
            "total": self.total,
        }


class BadFiles(Exception):
    """Files that break the rules of their format. ``verdict`` lists every problem."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__("\n".join(str(problem) for problem in verdict.problems))
        self.verdict = verdict


class Findings:
    """Collects the problems of one file; however many there are, it holds a bounded number of them."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.total = 0
        self._cap = _cap.get()
        self._counts: Counter[Kind] = Counter()
        self._kept: list[tuple[int, int, Problem]] = []
        self._remarks: dict[Remark, None] = {}
        self.sample: Sample | None = None
        """The beginning of the file, where something is wrong with it."""

    def read_as(self, how: Message) -> None:
        """Note that the file is written oddly but was read all the same, and how; once is enough."""
        self.explain([Remark(self.file, how, accepted=True)])

    def explain(self, remarks: Iterable[Remark]) -> None:
        """Note what explains the problems."""
        self._remarks |= dict.fromkeys(remarks)

    def add(
        self,
        expected: Message,
        *,
        line: int | None = None,
        column: str | None = None,
        got: bytes | str | Message | None = None,
        rank: int = 0,
    ) -> None:
        """Note one problem. ``rank`` orders the columns of one line."""
        self._note([(line or 0, rank, Problem(self.file, line, column, _quoted(got), expected))], 1)

    def add_rows(
        self,
        expected: Message,
        lines: npt.NDArray[np.integer],
        got: Callable[[int], bytes | str | Message | None],
        *,
        column: str | None = None,
        rank: int = 0,
    ) -> None:
        """Note one problem per line; ``got(k)`` is the text on the k-th of the lines, called if listed."""
        if len(lines) == 0:
            return
        first: Sequence[int] = range(len(lines))
        if len(lines) > self._cap:
            first = np.argsort(lines, kind="stable")[: self._cap].tolist()
        noted = []
        for k in first:
            line = int(lines[k])
            noted.append((line, rank, Problem(self.file, line, column, _quoted(got(k)), expected)))
        self._note(noted, len(lines))

    def verdict(self) -> Verdict:
        self._trim()
        problems = tuple(problem for _, _, problem in self._kept)
        return Verdict(problems, self.total, tuple(self._counts.items()), foremost(self._remarks))

    def _note(self, noted: list[tuple[int, int, Problem]], count: int) -> None:
        self.total += count
        self._counts[noted[0][2].kind] += count
        self._kept += noted
        if len(self._kept) > max(20 * CAP, 2 * self._cap):
            self._trim()

    def _trim(self) -> None:
        """Keep the first of all, but the first few of every kind before more of the same."""
        self._kept.sort(key=lambda kept: kept[:2])
        if len(self._kept) <= self._cap:
            return
        seen: Counter[Kind] = Counter()
        first: list[tuple[int, int, Problem]] = []
        rest: list[tuple[int, int, Problem]] = []
        for kept in self._kept:
            kind = kept[2].kind
            seen[kind] += 1
            (first if seen[kind] <= FIRST else rest).append(kept)
        self._kept = sorted((first + rest)[: self._cap], key=lambda kept: kept[:2])


def _quoted(got: bytes | str | Message | None) -> str | Message | None:
    return got if got is None or isinstance(got, Message) else shown(got)


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
