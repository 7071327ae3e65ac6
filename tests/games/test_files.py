"""Files as declared: every kind of cell, the place of every fault, and what a game may write."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from datasets.problems import BadFiles
from games.contract.boxes import EMPTY, FolderBox, MemoryBox, MemoryOut
from games.contract.broken import UndeclaredFile
from games.contract.declaration import Column, Declaration, File
from games.contract.files import check_files, read_file
from games.contract.tables import read_columns, write_table

ZIPS = File("zips.csv", "round", "organiser", columns=(Column("zip"), Column("town")))


def problems(
    file: File, content: str, targets: tuple[str, ...] = ()
) -> list[tuple[int | None, str | None, str]]:
    """Line, column and code of everything that is wrong with a file."""
    known = {"zips.csv": (ZIPS, io.BytesIO(b"zip,town\n1000,Chiyoda\n6000,Kyoto\n"))}
    name = file.names(targets)[0]
    checked = check_files((file,), MemoryBox({name: content.encode()}), known.get, targets)
    return [(problem.line, problem.column, problem.code) for problem in checked.verdict.problems]


@pytest.mark.parametrize(
    ("column", "good", "bad", "code"),
    [
        (Column("x", "int"), "-17", "1.5", "bad-integer"),
        (Column("x", "int", span=(0, 9)), "9", "10", "bad-integer"),
        (Column("x", "int"), "0", "１", "bad-integer"),
        (Column("x", "real"), "-1.5e3", "nan", "bad-number"),
        (Column("x", "real"), "1", "1e999", "bad-number"),
        (Column("x", "real"), "0.039829906209197401", "0." + "3" * 26, "bad-number"),
        (Column("x", "real"), "1", "inf", "bad-number"),
        (Column("x", "real", span=(0, 1)), "0.25", "-0.25", "bad-number"),
        (Column("x", "real", decimals=2), "0.25", "0.250", "too-many-decimals"),
        (Column("x", "real", decimals=2), "0.25", "25e-2", "too-many-decimals"),
        (Column("x", "date"), "2027-02-28", "2027-02-30", "bad-day"),
        (Column("x", "date"), "2027-02-28", "20270228", "bad-day"),
        (Column("x", "date", span=(0, 30)), "1970-01-31", "1970-02-01", "bad-day"),
        (Column("x", "choice", domain=("f", "m")), "f", "F", "not-a-choice"),
        (Column("x", "text", domain="zips.csv:zip"), "6000", "7000", "not-in-file"),
        (Column("x", "text"), "a b", "", "bad-text"),
        (Column("x", "text"), "a", "\u202ea", "bad-text"),
        (Column("x", "text", longest=3), "abc", "abcd", "too-long"),
        (Column("x", "text", unique=True), "b", "a", "duplicate-value"),
    ],
)
def test_a_cell_is_legal_or_its_place_and_rule_are_said(
    column: Column, good: str, bad: str, code: str
) -> None:
    file = File("A.csv", "entry", "upload", columns=(column, Column("y", empty=True)))
    first = "a" if column.unique else good
    assert problems(file, f"x,y\n{first},\n{good},\n") == []
    assert problems(file, f"x,y\n{first},\n{bad},\n") == [(3, "x", code)]


def test_an_empty_cell_is_legal_where_it_is_declared() -> None:
    column = Column("x", "int", empty=True)
    assert problems(File("A.csv", "entry", "upload", columns=(column, Column("y"))), "x,y\n,a\n") == []


@pytest.mark.parametrize(
    ("header", "content", "code"),
    [
        ("required", "1,a\n", "no-header"),
        ("required", "y,x\n1,a\n", "no-header"),
        ("optional", "y,x\n1,a\n", "bad-header"),
        ("none", "y,x\n1,a\n", "bad-integer"),
    ],
)
def test_headers_are_as_declared(header: str, content: str, code: str) -> None:
    columns = (Column("x", "int"), Column("y"))
    file = File("A.csv", "entry", "upload", columns=columns, header=header)  # type: ignore[arg-type]
    assert problems(file, content)[0][2] == code
    # A header that is not asked for is left out, where nothing else can be meant.
    assert problems(file, "x,y\n1,a\n") == []
    assert header == "required" or problems(file, "1,a\n") == []


def test_rows_are_counted_against_a_number_and_against_another_file() -> None:
    columns = (Column("x"), Column("y"))
    assert (
        problems(File("A.csv", "entry", "upload", columns=columns, rows=2), "x,y\na,b\n")[0][2] == "row-count"
    )
    assert (
        problems(File("A.csv", "entry", "upload", columns=columns, rows="zips.csv"), "x,y\na,b\na,b\n") == []
    )


def test_missing_and_foreign_files_are_named() -> None:
    file = File("C_{i}.csv", "entry", "upload", columns=(Column("x"),), count=2)
    checked = check_files((file,), MemoryBox({"C_0.csv": b"a\n", "C_2.csv": b"a\n"}))
    found = {(problem.file, problem.code) for problem in checked.verdict.problems}
    assert found == {("C_1.csv", "missing-file"), ("C_2.csv", "unknown-file")}


def test_a_wide_answer_has_a_column_for_every_target() -> None:
    columns = (Column("row", "int"), Column("{target}", "int", per_target=True))
    file = File("Q.csv", "answer", "upload", columns=columns, header="required")
    assert problems(file, "row,aki,haru\n1,0,1\n", ("aki", "haru")) == []
    assert problems(file, "row,haru,aki\n1,0,1\n", ("aki", "haru")) == [(1, None, "no-header")]
    game = Declaration("wide", "1", {}, {}, (file,), ())
    wide = read_columns(game, MemoryBox({"Q.csv": b"row,aki,haru\n1,0,1\n"}), "Q.csv")
    assert {name: values.tolist() for name, values in wide.items()} == {"row": [1], "aki": [0], "haru": [1]}


def test_the_header_of_a_file_may_name_its_columns_in_any_order() -> None:
    columns = (Column("n", "int"), Column("zip", domain="zips.csv:zip"))
    file = File("A.csv", "entry", "upload", columns=columns, header="required", column_order="free")
    for content in ("n,zip\n1,6000\n", "zip,n\n6000,1\n", "\ufeffzip,n\r\n6000,1\r\n"):
        assert problems(file, content) == []
    assert problems(file, "zip,n\n6000,x\n7000,1\n") == [
        (2, "n", "bad-integer"),
        (3, "zip", "not-in-file"),
    ]
    for header in ("zip", "zip,n,n", "zip,zip", "zip,m", " zip,n"):
        assert problems(file, f"{header}\n6000,1\n")[0] == (1, None, "no-header")
    game = Declaration("turned", "1", {}, {}, (file,), ())
    read = read_columns(game, MemoryBox({"A.csv": b"zip,n\n6000,1\n"}), "A.csv")
    assert {name: values.tolist() for name, values in read.items()} == {"n": [1], "zip": ["6000"]}


def test_a_file_that_others_refer_to_may_have_its_columns_in_any_order(tmp_path: Path) -> None:
    towns = File("towns.csv", "seat", "allot", columns=(Column("zip"), Column("town")), header="required",
                 column_order="free")  # fmt: skip
    (tmp_path / "towns.csv").write_bytes(b"town,zip\nKyoto,6000\n")
    file = File(
        "A.csv", "entry", "upload", columns=(Column("zip", domain="towns.csv:zip"),), rows="towns.csv"
    )
    known = {"towns.csv": (towns, tmp_path / "towns.csv")}
    box = MemoryBox({"A.csv": b"6000\n"})
    assert check_files((file,), box, known.get).verdict.ok
    assert not check_files((file,), MemoryBox({"A.csv": b"Kyoto\n"}), known.get).verdict.ok


def test_neighbouring_columns_are_repeated_together() -> None:
    columns = tuple(Column(f"{{target}}-{name}", "int", per_target=True) for name in ("who", "what"))
    file = File("Q.csv", "answer", "upload", columns=columns, header="required")
    assert problems(file, "aki-who,aki-what,haru-who,haru-what\n1,0,2,5\n", ("aki", "haru")) == []
    game = Declaration("wide", "1", {}, {}, (file,), ())
    content = b"aki-who,aki-what,haru-who,haru-what\n1,0,2,5\n"
    wide = read_columns(game, MemoryBox({"Q.csv": content}), "Q.csv")
    assert [values.tolist() for values in wide.values()] == [[1], [0], [2], [5]]


def test_columns_come_back_as_they_were_written() -> None:
    columns = (Column("n", "int"), Column("x", "real", empty=True), Column("t", empty=True))
    game = Declaration("round-trip", "1", {}, {}, (File("A.csv", "round", "build", columns=columns),), ())
    out = MemoryOut(game.files)
    numbers = np.array([0.1 + 0.2, np.nan, 1e-17])
    write_table(out, "A.csv", {"n": np.arange(3), "x": numbers, "t": np.array(["a", "", "ü"], dtype=object)})
    read = read_columns(game, out.box(), "A.csv")
    assert read["n"].tolist() == [0, 1, 2]
    assert np.array_equal(read["x"], numbers, equal_nan=True)
    assert read["t"].tolist() == ["a", "", "ü"]


def test_a_file_that_is_not_as_declared_is_not_read() -> None:
    with pytest.raises(BadFiles, match=r"zips.csv, line 2: got '3 cells'"):
        read_file(ZIPS, io.BytesIO(b"1000,Chiyoda\n6000,Kyoto,x\n"))


@pytest.mark.parametrize("name", ["other.csv", "../zips.csv", "/zips.csv", "a/../zips.csv", "zips.csv\n"])
def test_a_game_writes_only_what_it_declares(name: str) -> None:
    with pytest.raises(UndeclaredFile):
        MemoryOut((ZIPS,)).create(name)


@pytest.mark.parametrize("name", ["../secret", "/etc/hostname", "link", "none"])
def test_a_folder_shows_only_what_is_in_it(name: str, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("s", encoding="utf-8")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "a.csv").write_text("1", encoding="utf-8")
    (inside / "link").symlink_to(tmp_path / "secret")
    box = FolderBox(inside)
    assert box.names() == ["a.csv"]
    with pytest.raises(KeyError):
        box.open(name)


def test_a_box_reads_a_file_once() -> None:
    reads = []
    box = MemoryBox({"a": b"1"})
    load = reads.append
    for _ in range(3):
        box.load("a", load)
        box.memo("both", lambda: reads.append("both"))
    assert len(reads) == 2
    assert EMPTY.names() == []


def test_what_one_game_makes_of_no_files_is_not_anothers() -> None:
    assert [EMPTY.memo("checked", lambda number=number: number) for number in (1, 2)] == [1, 2]


def test_a_file_that_the_game_reads_is_only_there_and_not_too_large() -> None:
    columns = (Column("x", "int"),)
    file = File("A.csv", "entry", "upload", columns=columns, reader="game", max_bytes=5)
    assert problems(file, "many") == []
    assert problems(file, "so many") == [(None, None, "too-large")]
    missing = check_files((file,), MemoryBox({})).verdict.problems
    assert [problem.code for problem in missing] == ["missing-file"]
