"""What is wrong with refused files, kind by kind: two hundred equal lines are one problem to fix."""

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


def problem_context(problems: list[dict[str, Any]], total: int) -> dict[str, Any]:
    """What templates/contest/_problems.html shows of problems in the visitor's words."""
    kinds = kinds_of(problems)
    return {
        "problems": problems,
        "problem_total": total,
        "problem_kinds": kinds,
        "lists_problems": total > sum(len(kind.first) for kind in kinds),
    }


def kinds_of(problems: Iterable[Mapping[str, Any]]) -> list[KindOfProblem]:
    """The kinds in the order in which their first problem is listed.

    Entries that were refused by an earlier version do not say how many problems of a kind there are; there
    the listed ones count.
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
