"""Problems kind by kind: two hundred equal lines are one problem to fix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from datasets.problems import FIRST


@dataclass(frozen=True)
class KindOfProblem:
    """Problems of one file, column and rule: how many there are, and the first of them.

    ``expected`` is missing where it differs from line to line.
    """

    file: str
    column: str | None
    code: str
    expected: str | None
    count: int
    first: list[Mapping[str, Any]]

    @property
    def more(self) -> int:
        return self.count - len(self.first)


def kinds_of(problems: Iterable[Mapping[str, Any]]) -> list[KindOfProblem]:
    """The kinds in the order in which their first problem is listed.

    Entries that were refused by an earlier version do not say how many problems of a kind there are; there
    the listed ones count.

    >>> row = {"file": "T.csv", "column": "price", "code": "bad-price", "expected": "a price", "line": 1}
    >>> [(kind.count, kind.more) for kind in kinds_of([{**row, "of_kind": 7}, {**row, "line": 2}])]
    [(7, 5)]
    """
    groups: dict[tuple[str, str | None, str], list[Mapping[str, Any]]] = {}
    for problem in problems:
        groups.setdefault((problem["file"], problem["column"], problem["code"]), []).append(problem)
    return [_kind(*key, group) for key, group in groups.items()]


def _kind(file: str, column: str | None, code: str, group: list[Mapping[str, Any]]) -> KindOfProblem:
    expected = {problem["expected"] for problem in group}
    return KindOfProblem(
        file,
        column,
        code,
        expected.pop() if len(expected) == 1 else None,
        count=group[0].get("of_kind") or len(group),
        first=group[:FIRST],
    )
