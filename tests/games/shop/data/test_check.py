"""Every refusal, with its message, and what must be let through."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from datasets.problems import Problem
from datasets.tables import NO_GUESS
from games.shop.data.check import UNKNOWN_CUSTOMER, check_entry, check_guess, check_tables, check_truth
from games.shop.data.folder import read_original
from games.shop.data.rules import FileRules
from games.shop.data.tables import PurchaseData
from tests.games.shop.data.conftest import ENTRY, MASTER, TRANSACTIONS, Check

ROW = b"a,1,2010/12/1,8:45,22728,3.75,24\n"


def test_a_legal_entry_becomes_a_release(check: Check) -> None:
    checked = check()
    assert checked.verdict.ok
    assert checked.release is not None
    assert checked.release.truth.tolist() == [3, 0, 1, 2]
    released = checked.release.data
    assert released.master.ids.tolist() == ["d", "a", "b", "c"]
    assert released.transactions.customer.tolist() == [1, 1, 2, 3, 0]
    assert released.transactions.price.tolist() == [375, 375, 85, 1800, 1050]
    assert released.transactions.minute.tolist() == [525, 525, 603, 0, 1439]


def test_line_ends_marks_and_headers_make_no_difference(check: Check) -> None:
    plain = check().release
    assert plain is not None
    headers = {
        "M.csv": b"customer_id,gender,birthday,country\n",
        "T.csv": b"customer_id,receipt_id,date,time,item_id,unit_price,quantity\n",
        "P.csv": b"row\n",
    }
    for files in (
        {name: raw.replace(b"\n", b"\r\n") for name, raw in ENTRY.items()},
        {name: b"\xef\xbb\xbf" + raw for name, raw in ENTRY.items()},
        {name: headers[name] + raw for name, raw in ENTRY.items()},
        {name: raw[:-1] for name, raw in ENTRY.items()},
    ):
        other = check(files).release
        assert other is not None
        assert other.truth.tolist() == plain.truth.tolist()
        for ours, theirs in zip(other.data.to_frames(), plain.data.to_frames(), strict=True):
            assert ours.equals(theirs)


A_DATE = "a date that exists, as YYYY/M/D without leading zeros"
A_PRICE = "a positive price with up to 5 digits before and 2 after the point"
A_NUMBER = "a natural number up to 6 digits"
A_COUNTRY = "the name of a country, without quotes or surrounding blanks"
A_BIRTHDAY = "a birthday from 1950/1/31 to 1980/2/29"
A_ROW = "the number of a row of M, counted from 1"
AN_ID = "1 to 50 letters A-Z a-z, digits, '_' or '-'"
BAD_CELLS = [
    ("date", "2011/2/29", A_DATE, "bad-date"),
    ("date", "2011/02/28", A_DATE, "bad-date"),
    ("date", "2011-2-28", A_DATE, "bad-date"),
    ("date", "0000/1/1", A_DATE, "bad-date"),
    ("date", "٢٠١١/1/1", A_DATE, "bad-date"),
    ("date", "2010/11/30", "a date from 2010/12/1 to 2011/2/28", "date-out-of-range"),
    ("time", "24:00", "a time from 0:00 to 23:59, as H:MM", "bad-time"),
    ("time", "8:5", "a time from 0:00 to 23:59, as H:MM", "bad-time"),
    ("item_id", "99999", "an item that T has", "unknown-item"),
    ("item_id", "", "1 to 9 letters A-Z a-z, digits, '_' or '-'", "bad-item"),
    ("item_id", "2272８", "1 to 9 letters A-Z a-z, digits, '_' or '-'", "bad-item"),
    ("unit_price", "1e308", A_PRICE, "bad-price"),
    ("unit_price", "nan", A_PRICE, "bad-price"),
    ("unit_price", "inf", A_PRICE, "bad-price"),
    ("unit_price", "0x10", A_PRICE, "bad-price"),
    ("unit_price", "0", A_PRICE, "bad-price"),
    ("unit_price", "0.00", A_PRICE, "bad-price"),
    ("unit_price", "-1", A_PRICE, "bad-price"),
    ("unit_price", "+1", A_PRICE, "bad-price"),
    ("unit_price", "123456", A_PRICE, "bad-price"),
    ("unit_price", "1.234", A_PRICE, "bad-price"),
    ("unit_price", "1.", A_PRICE, "bad-price"),
    ("unit_price", "1_0", A_PRICE, "bad-price"),
    ("unit_price", '"1"', A_PRICE, "bad-price"),
    ("quantity", "-3", A_NUMBER, "bad-quantity"),
    ("quantity", "0", A_NUMBER, "bad-quantity"),
    ("quantity", "1.0", A_NUMBER, "bad-quantity"),
    ("quantity", "1234567", A_NUMBER, "bad-quantity"),
    ("quantity", "٣", A_NUMBER, "bad-quantity"),
    ("quantity", " 3", A_NUMBER, "bad-quantity"),
    ("receipt_id", "a b", AN_ID, "bad-receipt"),
    ("receipt_id", "", AN_ID, "bad-receipt"),
    ("customer_id", "nobody", "a pseudonym that M.csv has", "unknown-pseudonym"),
    ("customer_id", "a;b", AN_ID, "bad-id"),
]


@pytest.mark.parametrize(("column", "got", "expected", "code"), BAD_CELLS)
def test_a_bad_cell_of_t_is_told_by_line_and_column(
    check: Check, column: str, got: str, expected: str, code: str
) -> None:
    names = ["customer_id", "receipt_id", "date", "time", "item_id", "unit_price", "quantity"]
    cells = ROW.decode().strip().split(",")
    cells[names.index(column)] = got
    checked = check({"T.csv": ROW + ",".join(cells).encode() + b"\n" + ROW})
    assert checked.release is None
    assert [str(problem) for problem in checked.verdict.problems] == [
        f"T.csv, line 2, column {column}: got '{got}', expected {expected}. [{code}]"
    ]


@pytest.mark.parametrize(
    ("file", "old", "new", "line", "column", "got", "expected", "code"),
    [
        (
            "M.csv",
            b"a,f",
            b"101,f",
            2,
            "customer_id",
            "101",
            "a pseudonym that is no customer_id of M",
            "real-id",
        ),
        ("M.csv", b"b,m", b"a,m", 3, "customer_id", "a", "an id that no earlier line has", "duplicate-id"),
        ("M.csv", b"b,m", b"b,M", 3, "gender", "M", "f or m", "bad-gender"),
        ("M.csv", b"Spain", b"Italy", 1, "country", "Italy", "a country that M has", "unknown-country"),
        ("M.csv", b"Spain", b"*", 1, "country", "*", A_COUNTRY, "bad-country"),
        ("M.csv", b"1980/2/29", b"1981/2/29", 1, "birthday", "1981/2/29", A_DATE, "bad-date"),
        ("M.csv", b"1980/2/29", b"1980/3/1", 1, "birthday", "1980/3/1", A_BIRTHDAY, "date-out-of-range"),
        (
            "M.csv",
            b"d,f,1980/2/29,Spain\n",
            b"",
            None,
            None,
            "3 rows",
            "4 rows, as M has",
            "customers-dropped",
        ),
        ("P.csv", b"4\n1", b"4\n4", 2, "row", "4", "each row of M exactly once", "repeated-row"),
        ("P.csv", b"4\n", b"5\n", 1, "row", "5", "the number of a row of M, 1 to 4", "row-out-of-range"),
        ("P.csv", b"4\n", b"0\n", 1, "row", "0", A_ROW, "bad-row-number"),
        ("P.csv", b"4\n", b"-\n", 1, "row", "-", A_ROW, "bad-row-number"),
        ("P.csv", b"4\n", b"", None, None, "3 lines", "4 lines, one per row of M.csv", "line-count"),
        ("P.csv", b"4\n", b"4,1\n", 1, None, "2 cells", "1 cell: row", "ragged-row"),
    ],
)
def test_a_bad_m_or_p_is_told(
    check: Check,
    file: str,
    old: bytes,
    new: bytes,
    line: int | None,
    column: str | None,
    got: str,
    expected: str,
    code: str,
) -> None:
    verdict = check({file: ENTRY[file].replace(old, new)}).verdict
    told = [problem for problem in verdict.problems if problem.file == file]
    assert [problem.as_dict() for problem in told] == [
        {"file": file, "line": line, "column": column, "code": code, "got": got, "expected": expected}
    ]


def test_all_files_are_checked_and_told_in_order(check: Check) -> None:
    verdict = check({"M.csv": b"a,x,1950/1/31,Nowhere\n", "T.csv": b"a,1\n", "P.csv": b""}).verdict
    assert [(problem.file, problem.line, problem.code) for problem in verdict.problems] == [
        ("M.csv", None, "customers-dropped"),
        ("M.csv", 1, "bad-gender"),
        ("M.csv", 1, "unknown-country"),
        ("T.csv", 1, "ragged-row"),
        ("P.csv", None, "empty-file"),
        ("P.csv", None, "line-count"),
    ]


def test_a_missing_file_is_told(small: PurchaseData) -> None:
    files = {"M.csv": io.BytesIO(ENTRY["M.csv"]), "P.csv": io.BytesIO(ENTRY["P.csv"])}
    checked = check_entry(files, small, FileRules())
    assert [str(problem) for problem in checked.verdict.problems] == [
        "T.csv: expected a file T.csv. [missing-file]"
    ]


def test_a_broken_m_does_not_put_the_blame_on_t(check: Check) -> None:
    broken = ENTRY["M.csv"].replace(b"a,f,1950/1/31,France", b"a,f,1950/1/31")
    assert {problem.file for problem in check({"M.csv": broken}).verdict.problems} == {"M.csv"}


def test_messages_quote_only_the_teams_own_cells(check: Check) -> None:
    verdict = check({"M.csv": MASTER, "T.csv": TRANSACTIONS, "P.csv": b"9\n9\n9\n9\n"}).verdict
    own = {"101", "102", "103", "104", "9"}
    assert {problem.got for problem in verdict.problems} <= own
    # None of the real ids is told as what was expected.
    assert not any(word in str(problem.expected) for problem in verdict.problems for word in own - {"9"})


@pytest.mark.parametrize(
    ("rules", "files"),
    [
        (FileRules(drop_customers=True), {"M.csv": b"a,f,1950/1/31,France\n", "T.csv": ROW, "P.csv": b"3\n"}),
        (FileRules(foreign_items=True), {"T.csv": ROW.replace(b"22728", b"DUMMY")}),
        (FileRules(foreign_dates=True), {"T.csv": ROW.replace(b"2010/12/1", b"2020/2/29")}),
        (
            FileRules(foreign_countries=True),
            {"M.csv": ENTRY["M.csv"].replace(b"Spain", "Österreich".encode())},
        ),
        (
            FileRules(generalised=True),
            {
                "M.csv": ENTRY["M.csv"].replace(
                    b"f,1980/2/29,Spain", b"{f;m},[1950/1/31;1980/2/29],{Spain;France}"
                )
            },
        ),
        (FileRules(generalised=True), {"M.csv": ENTRY["M.csv"].replace(b"f,1980/2/29,Spain", b"*,*,*")}),
        (FileRules(), {"T.csv": ROW}),
        (FileRules(), {"T.csv": ROW * 100}),
    ],
)
def test_what_the_rules_open_is_let_through(check: Check, rules: FileRules, files: dict[str, bytes]) -> None:
    checked = check(files, rules)
    assert checked.verdict.problems == ()
    assert checked.release is not None


def _general(old: bytes, new: bytes) -> dict[str, bytes]:
    return {"M.csv": ENTRY["M.csv"].replace(old, new)}


@pytest.mark.parametrize(
    ("rules", "files", "code"),
    [
        (FileRules(drop_rows=False), {"T.csv": ROW}, "rows-dropped"),
        (FileRules(add_rows=False), {"T.csv": ROW * 100}, "rows-added"),
        (FileRules(drop_customers=True), {"P.csv": b"4\n1\n2\n2\n"}, "repeated-row"),
        (FileRules(max_bytes=50), {}, "too-large"),
        (FileRules(generalised=True), _general(b"Spain", b"{Spain;Italy}"), "unknown-country"),
        (FileRules(generalised=True), _general(b"Spain", b"{Spain;Spain}"), "bad-set"),
        (FileRules(generalised=True), _general(b"Spain", b"[France;Spain]"), "bad-interval"),
        (FileRules(generalised=True), _general(b"1980/2/29", b"[1980/2/29;1950/1/31]"), "bad-interval"),
        (
            FileRules(drop_customers=True),
            {"M.csv": ENTRY["M.csv"] + b"e,f,1950/1/31,France\n", "P.csv": b"4\n1\n2\n3\n3\n"},
            "too-many-customers",
        ),
    ],
)
def test_what_the_rules_forbid_is_refused(
    check: Check, rules: FileRules, files: dict[str, bytes], code: str
) -> None:
    checked = check(files, rules)
    assert checked.release is None
    assert checked.verdict.problems[0].code == code


def test_an_original_must_know_its_customers() -> None:
    checked = check_tables(
        io.BytesIO(MASTER), io.BytesIO(TRANSACTIONS.replace(b"104", b"105")), FileRules().max_bytes
    )
    expected = Problem("T.csv", 5, "customer_id", "105", UNKNOWN_CUSTOMER())
    assert checked.verdict.problems == (expected,)


def test_a_guess_may_repeat_and_may_be_absent() -> None:
    guess, verdict = check_guess(io.BytesIO(b"3\n-\n3\n\n1\n"), n_released=5, n_original=3)
    assert verdict.ok
    assert guess is not None
    assert guess.tolist() == [2, NO_GUESS, 2, NO_GUESS, 0]


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"1\n4\n", "row-out-of-range"),
        (b"1\n", "line-count"),
        (b"1\nx\n", "bad-row-number"),
        (b"", "empty-file"),
    ],
)
def test_a_bad_guess_is_refused(raw: bytes, code: str) -> None:
    guess, verdict = check_guess(io.BytesIO(raw), n_released=2, n_original=3)
    assert guess is None
    assert verdict.problems[0].code == code


def test_truth_alone_can_be_checked() -> None:
    truth, verdict = check_truth(io.BytesIO(b"2\n1\n"), 2, 2, FileRules())
    assert verdict.ok
    assert np.array_equal(truth, [1, 0])


def test_the_real_data_is_legal(shared_data: Path) -> None:
    data = read_original(shared_data / "pwscup2016")
    # The figures that the organisers and the data's own description give.
    assert data.n_customers == 400
    assert data.transactions.n_rows == 38_087
    assert data.transactions.receipt.n_labels == 1_763
    assert data.transactions.item.n_labels == 2_781
    assert data.master.country.n_labels == 30
    assert np.bincount(data.master.gender.codes).tolist() == [330, 70]
    # 392 birthdays belong to one person alone.
    assert (np.bincount(data.master.birthday.codes) == 1).sum() == 392
