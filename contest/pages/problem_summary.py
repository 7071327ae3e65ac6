"""What is wrong with refused files: why, then kind by kind, then as a file that lists every line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from contest.files.spreadsheet import csv_text
from contest.language.translation import say_problem, say_remark
from contest.models import Entry
from contest.pages.dry_run import take_turn
from contest.services.datasets import load_original
from contest.services.stored_uploads import every_problem
from datasets.problem_kinds import KindOfProblem, kinds_of
from datasets.problems import Verdict

MOST_KINDS = 20
"""How many kinds of problems a page shows; the file lists all."""
COLUMNS = ("file", "line", "column", "got", "expected", "code", "of_kind")

__all__ = ["KindOfProblem", "kinds_of", "problem_context", "problem_table", "verdict_context"]


def problem_context(
    problems: list[dict[str, Any]], total: int, remarks: Iterable[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """What templates/contest/_problems.html shows of problems in the visitor's words."""
    kinds = kinds_of(problems)
    shown = kinds[:MOST_KINDS]
    said = [say_remark(remark) for remark in remarks]
    return {
        "problems": problems,
        "problem_total": total,
        "problem_kinds": shown,
        "more_kinds": len(kinds) - len(shown),
        "lists_problems": total > sum(len(kind.first) for kind in shown),
        "remarks": said,
        "causes": [remark for remark in said if not remark["accepted"]],
        "notes": [remark for remark in said if remark["accepted"]],
    }


def verdict_context(verdict: Verdict) -> dict[str, Any]:
    """The same of files that were only checked."""
    problems = [say_problem(problem) for problem in verdict.as_data()]
    return problem_context(problems, verdict.total, [remark.as_data() for remark in verdict.remarks])


def problem_table(entry: Entry) -> str:
    """Every problem of a refused entry as a file for spreadsheets; where they are lost, the stored ones."""
    take_turn(entry.team)
    listed = entry.problems
    if entry.problem_total > len(listed):
        original = load_original(entry.round.dataset) if entry.round.game_id is None else None
        found = every_problem(entry, original)
        listed = listed if found is None else found.as_data()
    said = (say_problem(problem) for problem in listed)
    return csv_text(COLUMNS, ([problem.get(column) for column in COLUMNS] for problem in said))
