"""Rows of an archive of format 1 become rows of format 2, by hand.

Whole archives of version 0.1 are imported in tests/services/test_version_0_1.py.
"""

from __future__ import annotations

import copy

import pytest

from contest.archive.format_1 import Tables, lifted
from contest.records.verify import BadArchive

DATASET = {
    "id": 1, "name": "Shop", "format": "2017", "master_sha256": "m", "transactions_sha256": "t",
    "knowledge": {"T25.csv": "k"}, "n_customers": 12, "n_rows": 90, "n_items": 7, "n_receipts": 30,
    "first_day": "2010-12-01", "last_day": "2011-11-30", "source": {},
}  # fmt: skip
ENTRY = {
    "id": 1, "round": 1, "team": 1, "number": 1, "state": "valid", "master_sha256": "",
    "transactions_sha256": "s", "truth_sha256": "p", "n_released": 11, "most_hits": 3, "guesses": None,
    "risk": 0.25,
}  # fmt: skip
REFUSED = {**ENTRY, "id": 2, "number": 2, "state": "invalid", "transactions_sha256": "", "truth_sha256": "",
           "n_released": None, "most_hits": None}  # fmt: skip
RUN = {
    "id": 1, "attack": 1, "entry": 1, "state": "done", "hits": 3, "guesses": 12, "rate": 0.25, "low": 0.1,
    "high": 0.5, "baseline": 0.0, "expected_hits": 2.5, "guess_sha256": "q", "found_customers": [0, 4, 5],
}  # fmt: skip


def tables() -> Tables:
    rows: Tables = {
        "dataset": [DATASET],
        "round": [{"id": 1, "dataset": 1}],
        "entry": [ENTRY, REFUSED],
        "attackrun": [RUN],
        "commitment": [{"id": 1, "what": "seed"}],
        "team": [{"id": 1}],
    }
    return copy.deepcopy(rows)


def test_files_get_their_names_and_counts_become_facts() -> None:
    (row,) = lifted(tables())["dataset"]
    assert row == {
        "id": 1,
        "name": "Shop",
        "format": "2017",
        "files": {"M.csv": "m", "T.csv": "t", "T25.csv": "k"},
        "facts": [
            ["customers", 12],
            ["purchases", 90],
            ["receipts", 30],
            ["items", 7],
            ["days", ["2010-12-01", "2011-11-30"]],
        ],
        "n_people": 12,
        "source": {},
    }


def test_a_data_set_without_receipts_has_no_such_fact() -> None:
    rows = tables()
    rows["dataset"][0] |= {"format": "2018", "master_sha256": "", "n_receipts": 0, "knowledge": {}}
    (row,) = lifted(rows)["dataset"]
    assert row["files"] == {"T.csv": "t"}
    assert [code for code, _ in row["facts"]] == ["customers", "purchases", "items", "days"]


def test_an_entry_names_its_files_and_its_truth_is_sealed() -> None:
    found = lifted(tables())
    entry, refused = found["entry"]
    assert entry == {
        "id": 1, "round": 1, "team": 1, "number": 1, "state": "valid", "published": {"S.csv": "s"},
        "n_people": 11, "numbers": {"hits": 3}, "risk": 0.25,
    }  # fmt: skip
    assert (refused["published"], refused["numbers"], refused["n_people"]) == ({}, {}, None)
    assert found["sealed"] == [
        {"id": 1, "round": 1, "scope": "entry", "entry": 1, "name": "truth.txt", "sha256": "p", "bytes": None}
    ]


def test_a_run_answers_the_challenge_of_its_game() -> None:
    (run,) = lifted(tables())["attackrun"]
    assert run == {
        "id": 1, "attack": 1, "entry": 1, "state": "done", "challenge": "months", "risk": 0.25, "low": 0.1,
        "high": 0.5, "baseline": 0.0, "numbers": {"hits": 3, "guesses": 12, "expected_hits": 2.5},
        "answer_sha256": "q", "found_rows": [0, 4, 5],
    }  # fmt: skip


def test_old_commitments_are_of_shape_1_and_the_rest_stays() -> None:
    rows = tables()
    found = lifted(rows)
    assert found["commitment"] == [{"id": 1, "what": "seed", "shape": 1}]
    assert (found["team"], found["round"]) == (rows["team"], rows["round"])
    assert rows == tables(), "the argument was changed"


def test_rows_of_another_format_are_refused() -> None:
    with pytest.raises(BadArchive, match="not of format 1"):
        lifted(lifted(tables()))
