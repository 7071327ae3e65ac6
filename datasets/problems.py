"""What can be wrong with a file: located, coded, and readable by a person."""

from __future__ import annotations

from dataclasses import asdict, dataclass


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
        got = "" if self.got is None else f"got {self.got!r}, "
        return f"{place}: {got}expected {self.expected}. [{self.code}]"

    def as_dict(self) -> dict[str, str | int | None]:
        return asdict(self)


@dataclass(frozen=True)
class Verdict:
    """All problems of an upload, up to a cap; ``total`` counts also those beyond it."""

    problems: tuple[Problem, ...] = ()
    total: int = 0

    @property
    def ok(self) -> bool:
        return self.total == 0
