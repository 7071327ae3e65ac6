"""The files of 2018: the organisers' sample is legal, their invalid one is refused where it is wrong."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from games.shop.data.pwscup2018 import INTERVAL, SET, STAR, VALUE, Sheet2018, check_2018, read_sheet_2018

ORIGINAL = b"""\
11,2010/12/1,aa,1.69,32
11,2010/12/2,bb,2.1,6
12,2010/12/5,cc,2.1,6
"""
RELEASED = b"""\
7,[2010/12/1;2010/12/3],{aa;bb},[1;2.5],*
7,2010/12/2,bb,2.1,[6;6]
*,*,*,*,*
"""


@pytest.fixture(scope="module")
def original() -> Sheet2018:
    return read_sheet_2018(io.BytesIO(ORIGINAL))


def test_the_organisers_sample_is_legal_and_their_invalid_one_is_not(shared_data: Path) -> None:
    folder = shared_data / "pwscup2018"
    truth = read_sheet_2018(folder / "T.csv")
    assert truth.n_rows == 81_776
    released, verdict = check_2018(folder / "A.csv", truth)
    assert verdict.ok
    assert released is not None
    released, verdict = check_2018(folder / "A_invalid_item_test.csv", truth)
    assert released is None
    assert [str(problem) for problem in verdict.problems] == [
        "A.csv, line 2, column item_id: got '{XXX;22745}', expected items of T. [unknown-item]"
    ]


def test_cells_of_every_kind_are_read(original: Sheet2018) -> None:
    released, verdict = check_2018(io.BytesIO(RELEASED), original)
    assert verdict.ok
    assert released is not None
    assert released.deleted.tolist() == [False, False, True]
    assert released.id.texts().tolist() == ["7", "7", "*"]
    assert released.day.kind.tolist() == [INTERVAL, VALUE, STAR]
    assert (released.day.high - released.day.low).tolist() == [2, 0, 0]
    assert released.price.low.tolist() == [100, 210, 0]
    assert released.price.high.tolist() == [250, 210, 0]
    assert released.quantity.kind.tolist() == [STAR, INTERVAL, STAR]
    assert released.item.kind.tolist() == [SET, VALUE, STAR]
    assert released.item.size.tolist() == [2, 1, 0]
    assert released.item.members[released.item.cell[0]] == ("aa", "bb")


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "code"),
    [
        (b"[2010/12/1;", b"[2010/12/2;", 1, "date", "value-not-covered"),
        (b"[2010/12/1;2010/12/3]", b"[2010/12/3;2010/12/1]", 1, "date", "bad-interval"),
        (b"[2010/12/1;2010/12/3]", b"[2010/12/1]", 1, "date", "bad-interval"),
        (b"[2010/12/1;2010/12/3]", b"[2010/12/1;2010/13/3]", 1, "date", "bad-date"),
        (b"{aa;bb}", b"{bb;cc}", 1, "item_id", "value-not-covered"),
        (b"{aa;bb}", b"cc", 1, "item_id", "value-not-covered"),
        (b"{aa;bb}", b"{aa;aa}", 1, "item_id", "bad-set"),
        (b"{aa;bb}", b"{aa;bb", 1, "item_id", "bad-set"),
        (b"{aa;bb}", b"{}", 1, "item_id", "bad-item"),
        (b"{aa;bb}", b"{aa;zz}", 1, "item_id", "unknown-item"),
        (b"bb,2.1", b"bb,2.2", 2, "unit_price", "value-not-covered"),
        (b"[6;6]", b"7", 2, "quantity", "value-not-covered"),
        (b"[6;6]", b"{6;7}", 2, "quantity", "bad-quantity"),
        (b"\n7,", b"\n8,", 2, "customer_id", "second-pseudonym"),
        (b"*,*,*,*,*", b"7,*,*,*,*", 3, "customer_id", "shared-pseudonym"),
        (b"*,*,*,*,*", b"*,*,cc,*,*", 3, "item_id", "deleted-not-empty"),
        (b"*,*,*,*,*", b"x,*,*,*,*", 3, "customer_id", "bad-pseudonym"),
        (b"*,*,*,*,*\n", b"", None, None, "row-count"),
    ],
)
def test_a_breach_is_located(
    original: Sheet2018, old: bytes, new: bytes, line: int | None, column: str | None, code: str
) -> None:
    released, verdict = check_2018(io.BytesIO(RELEASED.replace(old, new)), original)
    assert released is None
    assert [(problem.line, problem.column, problem.code) for problem in verdict.problems] == [
        (line, column, code)
    ]


def test_a_set_has_at_most_a_hundred_items() -> None:
    items = [f"i{number}" for number in range(101)]
    sheet = read_sheet_2018(io.BytesIO("".join(f"1,2010/12/1,{item},1,1\n" for item in items).encode()))

    def codes(n: int) -> list[str]:
        row = f"1,2010/12/1,{{{';'.join(items[:n])}}},1,1\n"
        return [problem.code for problem in check_2018(io.BytesIO((row * 101).encode()), sheet)[1].problems]

    assert set(codes(101)) == {"bad-set"}
    assert codes(100) == ["value-not-covered"]


def test_rows_in_another_order_are_told_so() -> None:
    rows = [f"{n % 5},2010/12/{n % 28 + 1},i{n},{n}.5,{n + 1}" for n in range(60)]
    original = read_sheet_2018(io.BytesIO("\n".join(rows).encode()))
    in_order, verdict = check_2018(io.BytesIO("\n".join(rows).encode()), original)
    assert verdict.ok
    assert in_order is not None
    released, verdict = check_2018(io.BytesIO("\n".join(sorted(rows)).encode()), original)
    assert released is None
    (first,) = verdict.remarks
    assert str(first) == (
        "A.csv: The rows seem to be in another order than those of T. "
        "Row i must be made from row i of T: do not sort or shuffle them."
    )
