"""What is wrong with files, as the command line prints it: causes first, then kinds of problems."""

from __future__ import annotations

from collections.abc import Iterable

from datasets.problem_kinds import kinds_of
from datasets.problems import FIRST, Verdict
from datasets.remarks import Remark

MOST_KINDS = 20


def told_remarks(remarks: Iterable[Remark]) -> list[str]:
    """Why files were refused, and how odd ones were read."""
    return [f"{'note' if remark.accepted else remark.certainty}: {remark}" for remark in remarks]


def told_kinds(verdict: Verdict) -> list[str]:
    """Each kind of problem with its number, where some kind has more than a few."""
    counts = dict(verdict.counts)
    kinds = kinds_of(problem.as_dict() | {"of_kind": counts[problem.kind]} for problem in verdict.problems)
    if all(kind.count <= FIRST for kind in kinds):
        return []
    lines = [
        f"{kind.count} × {kind.file}{f', column {kind.column}' if kind.column else ''} [{kind.code}]"
        for kind in kinds[:MOST_KINDS]
    ]
    more = len(kinds) - len(lines)
    return [*lines, *([f"… and {more} more kinds."] if more else [])]
