"""What is told of a file with many problems: all kinds, the first of each, and how many there are."""

from __future__ import annotations

import numpy as np

from datasets.problems import CAP, FIRST, MISSING_FILE, Findings, Problem, Verdict
from datasets.tokens import TOO_LONG
from games.shop.data.cells import BAD_DATE, BAD_PRICE, BAD_QUANTITY


def many_and_one() -> Verdict:
    found = Findings("T.csv")
    lines = np.arange(1, 5001)
    found.add_rows(BAD_QUANTITY(), lines, lambda k: "-3", column="quantity", rank=6)
    found.add(BAD_PRICE(), line=4999, column="price", got="x", rank=5)
    return found.verdict()


def test_a_rare_problem_is_told_behind_thousands_of_equal_ones() -> None:
    verdict = many_and_one()
    assert verdict.total == 5001
    assert len(verdict.problems) == CAP
    assert [problem.line for problem in verdict.problems] == [*range(1, CAP), 4999]
    assert verdict.problems[-1].code == "bad-price"


def test_every_problem_says_how_many_there_are_of_its_kind() -> None:
    told = many_and_one().as_data()
    assert {(row["code"], row["of_kind"]) for row in told} == {("bad-quantity", 5000), ("bad-price", 1)}


def test_verdicts_on_several_files_keep_their_counts_apart() -> None:
    missing = Verdict.of(Problem("P.csv", None, None, None, MISSING_FILE(name="P.csv")))
    told = Verdict.join([many_and_one(), missing, many_and_one()]).as_data()
    assert [row["of_kind"] for row in told if row["code"] == "missing-file"] == [1]
    assert [row["of_kind"] for row in told if row["code"] == "bad-price"] == [2, 2]


def test_the_first_of_each_kind_are_kept_however_they_come() -> None:
    """Problems are noted column by column, so the first line of a kind may come last."""
    found = Findings("T.csv")
    for expected in (BAD_DATE(), BAD_PRICE(), BAD_QUANTITY()):
        for start in (40_000, 20_000, 1):
            found.add_rows(expected, np.arange(start, start + 3000), lambda k: "x", column="a")
    verdict = found.verdict()
    assert len(verdict.problems) == CAP
    for code in ("bad-date", "bad-price", "bad-quantity"):
        lines = [problem.line for problem in verdict.problems if problem.code == code]
        assert lines[:FIRST] == list(range(1, FIRST + 1))


def test_no_file_has_more_problems_than_the_cap_even_with_many_kinds() -> None:
    found = Findings("T.csv")
    for kind in range(2 * CAP):
        found.add(TOO_LONG(n=9), line=kind + 1, column=f"column-{kind}")
    verdict = found.verdict()
    assert (len(verdict.problems), verdict.total) == (CAP, 2 * CAP)
