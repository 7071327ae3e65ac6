"""The files of 2017: the organisers' own samples are legal, every rule refuses what it should."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from datasets.problems import BadFiles
from games.shop.data.pwscup2017 import DELETED, Sheet, check_2017, read_sheet, truth_table
from tests.games.shop.data.organisers_truth import organisers_truth

ORIGINAL = b"""\
11,0,2010/12/1,9:09,aa,10.95,32
11,0,2010/12/2,9:09,bb,1,1
12,0,2010/12/5,10:03,aa,8.5,6
12,0,2011/1/5,10:03,cc,8.5,6
"""
RELEASED = b"""\
x,0,2010/12/31,9:09,bb,10.95,32
x,0,2010/12/2,9:09,bb,0.5,0
DEL,,,,,,
y,0,2011/1/1,10:03,cc,0,6
"""


@pytest.fixture(scope="module")
def original() -> Sheet:
    return read_sheet(io.BytesIO(ORIGINAL))


def test_the_organisers_samples_are_legal(shared_data: Path) -> None:
    folder = shared_data / "pwscup2017"
    truth = read_sheet(folder / "T.csv")
    assert truth.n_rows == 44_917
    assert truth.user.n_labels == 500
    for name, n_deleted in (("AT_sample.csv", 22_459), ("AT_drill.txt", 0)):
        sheet, verdict = check_2017(folder / name, truth)
        assert verdict.problems == ()
        assert sheet is not None
        assert sheet.deleted.sum() == n_deleted


def test_the_drills_truth_follows_from_its_sheet(shared_data: Path) -> None:
    folder = shared_data / "pwscup2017"
    told = organisers_truth(folder / "F_drill.txt")
    made = truth_table(read_sheet(folder / "T.csv"), read_sheet(folder / "AT_drill.txt"))
    assert told.customers.tolist() == made.customers.tolist()
    assert told.pseudonyms.tolist() == made.pseudonyms.tolist()


@pytest.mark.parametrize(("share", "kept"), [("25", 0.25), ("50", 0.5), ("75", 0.75), ("100", 1.0)])
def test_partial_knowledge_is_read(shared_data: Path, share: str, kept: float) -> None:
    sheet = read_sheet(shared_data / "pwscup2017" / f"T{share}.txt")
    assert (~sheet.deleted).mean() == pytest.approx(kept, abs=0.0001)
    assert {len(label) for label in sheet.item.labels} <= {0, 1, 2}


def test_a_sheet_keeps_order_and_marks_deleted_rows(original: Sheet) -> None:
    sheet, verdict = check_2017(io.BytesIO(RELEASED), original)
    assert verdict.ok
    assert sheet is not None
    assert sheet.deleted.tolist() == [False, False, True, False]
    assert sheet.user.texts().tolist() == ["x", "x", DELETED, "y"]
    assert sheet.item.texts().tolist() == ["bb", "bb", "", "cc"]
    assert sheet.item.codes[2] == sheet.receipt.codes[2] == sheet.day[2] == sheet.price[2] == 0
    assert sheet.price.tolist() == [1095, 50, 0, 0]
    assert truth_table(original, sheet).pseudonyms[:, :2].tolist() == [["x", DELETED], [DELETED, "y"]]


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "code"),
    [
        (b"y,0", b"12,0", 4, "customer_id", "real-id"),
        (b"x,0,2010/12/2", b"z,0,2010/12/2", 2, "customer_id", "second-pseudonym"),
        (b"2010/12/31", b"2011/1/1", 1, "date", "month-changed"),
        (b"2010/12/31", b"2009/12/31", 1, "date", "month-changed"),
        (b"2010/12/31", b"2010/12/32", 1, "date", "bad-date"),
        (b"9:09,bb,10.95", b"9:09,dd,10.95", 1, "item_id", "unknown-item"),
        (b"10.95", b"123456", 1, "unit_price", "bad-price"),
        (b"10.95", b"1.234", 1, "unit_price", "bad-price"),
        (b"10.95", b"", 1, "unit_price", "empty-cell"),
        (b",32", b",1234567", 1, "quantity", "bad-quantity"),
        (b",32", b",-1", 1, "quantity", "bad-quantity"),
        (b"DEL,,,,,,", b"DEL,,,,,,1", 3, "quantity", "deleted-not-empty"),
        (b"DEL,,,,,,", b"DEL", 3, None, "ragged-row"),
        (b"DEL,,,,,,\n", b"", None, None, "row-count"),
    ],
)
def test_a_breach_is_located(
    original: Sheet, old: bytes, new: bytes, line: int | None, column: str | None, code: str
) -> None:
    sheet, verdict = check_2017(io.BytesIO(RELEASED.replace(old, new)), original)
    assert sheet is None
    assert [(problem.line, problem.column, problem.code) for problem in verdict.problems] == [
        (line, column, code)
    ]


def test_half_of_the_rows_must_stay(original: Sheet) -> None:
    gone = b"DEL,,,,,,\n"
    half = RELEASED.replace(b"y,0,2011/1/1,10:03,cc,0,6\n", gone)
    assert check_2017(io.BytesIO(half), original)[1].ok
    verdict = check_2017(io.BytesIO(gone * 3 + b"y,0,2011/1/1,10:03,cc,0,6\n"), original)[1]
    assert [str(problem) for problem in verdict.problems] == [
        "AT.csv: got '75.00% deleted', expected at least 50% of the rows kept. [too-many-deleted]"
    ]


def test_a_broken_sheet_is_refused_by_the_reader() -> None:
    with pytest.raises(BadFiles, match="empty-cell"):
        read_sheet(io.BytesIO(b"11,0,2010/12/1,9:09,aa,,32\n"))
    with pytest.raises(BadFiles, match="ragged-row"):
        read_sheet(io.BytesIO(b"11,DEL\n"))


def test_the_tables_are_read_only(original: Sheet) -> None:
    with pytest.raises(ValueError, match="read-only"):
        original.price[0] = 1
    assert np.array_equal(original.deleted, [False] * 4)


def test_rows_in_another_order_are_told_so() -> None:
    rows = [f"{n % 5},0,{2010 + n % 2}/{n % 12 + 1}/3,9:09,i{n},1.5,{n + 1}" for n in range(60)]
    original = read_sheet(io.BytesIO("\n".join(rows).encode()))
    by_date = sorted(rows, key=lambda row: row.split(",")[2])
    sheet, verdict = check_2017(io.BytesIO("\n".join(by_date).encode()), original)
    assert sheet is None
    first = verdict.remarks[0]
    assert (first.code, first.certainty) == ("row-order", "likely")
    assert "do not sort or shuffle them" in str(first)
