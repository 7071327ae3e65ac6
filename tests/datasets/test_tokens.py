"""The tokeniser against Python's own split, against pandas, and against files that are no tables."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datasets import tokens
from datasets.problems import CAP, Findings, Verdict
from datasets.reader import Column, TableRead, read_table
from datasets.tokens import Layout, code_cells, read_blocks

THREE = ("left", "middle", "right")


def read(raw: bytes, names: tuple[str, ...] = THREE, max_bytes: int = 10**9) -> tuple[TableRead, Verdict]:
    found = Findings("X.csv")
    columns = tuple(Column(name, 30, lambda text: text) for name in names)
    table = read_table(io.BytesIO(raw), columns, found, max_bytes)
    return table, found.verdict()


def rows(table: TableRead) -> list[tuple[str, ...]]:
    return list(zip(*(table[name].texts().tolist() for name in table.columns), strict=True))


cell = st.text(st.characters(exclude_characters=",\n\r\0\ufeff", exclude_categories=["Cs"]), max_size=7)
tables = st.lists(st.tuples(cell, cell, cell), min_size=1, max_size=30)


@settings(max_examples=150, deadline=None)
@given(tables, st.booleans(), st.booleans(), st.booleans(), st.integers(1, 60))
def test_agrees_with_a_plain_split(
    table: list[tuple[str, ...]], crlf: bool, mark: bool, last_end: bool, block: int
) -> None:
    end = "\r\n" if crlf else "\n"
    text = end.join(",".join(row) for row in table) + (end if last_end else "")
    before = tokens.BLOCK_BYTES
    tokens.BLOCK_BYTES = block
    try:
        got, verdict = read((b"\xef\xbb\xbf" if mark else b"") + text.encode())
    finally:
        tokens.BLOCK_BYTES = before
    assert verdict.ok
    assert rows(got) == table
    assert got.lines.tolist() == list(range(1, len(table) + 1))


def test_cells_of_every_length_are_told_apart() -> None:
    texts = [b"x" * size + tail for size in range(29) for tail in (b"", b"y", b"z")]
    raw = b"\n".join(texts) + b"\n"
    buffer = np.frombuffer(raw + bytes(8), dtype=np.uint8)
    ends = np.flatnonzero(buffer == 10)
    starts = np.append(0, ends[:-1] + 1)
    cells = code_cells(buffer, starts, ends - starts)
    assert [cells.texts[code] for code in cells.codes] == texts
    assert len(cells.texts) == len(set(texts))


def test_colliding_mixtures_are_still_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "MIXER", np.uint64(0))
    table, verdict = read(b"aaaaaaaaaaaa,b,c\nbbbbbbbbaaaa,b,c\n")
    assert verdict.ok
    assert table["left"].texts().tolist() == ["aaaaaaaaaaaa", "bbbbbbbbaaaa"]


@pytest.mark.parametrize(
    "name", ["pwscup2016/T.csv", "pwscup2017/T.csv", "pwscup2018/A.csv", "pwscup2016/M.csv"]
)
def test_reads_the_real_files_as_pandas_does(shared_data: Path, name: str) -> None:
    path = shared_data / name
    frame = pd.read_csv(path, header=None, dtype=str, keep_default_na=False)
    names = tuple(f"c{number}" for number in range(frame.shape[1]))
    layout = Layout(names, (50,) * len(names))
    found = Findings(name)
    parts = list(read_blocks(path, layout, found, 10**9))
    assert found.total == 0
    for number in range(frame.shape[1]):
        cells = [part.columns[number] for part in parts]
        ours = [part.texts[code].decode() for part in cells for code in part.codes.tolist()]
        assert ours == frame[number].tolist()


def test_line_ends_mark_and_header_do_not_matter() -> None:
    plain = b"1,2,3\n4,5,6\n"
    forms = (
        plain,
        plain.replace(b"\n", b"\r\n"),
        b"1,2,3\r\n4,5,6\n",
        b"\xef\xbb\xbf" + plain,
        b"left,middle,right\n" + plain,
        b"\xef\xbb\xbfleft,middle,right\r\n" + plain,
        plain[:-1],
    )
    for raw in forms:
        table, verdict = read(raw)
        assert verdict.ok, raw
        assert rows(table) == [("1", "2", "3"), ("4", "5", "6")]
    assert read(b"left,middle,right\n" + plain)[0].lines.tolist() == [2, 3]


def test_a_header_stands_only_on_the_first_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for size in (5, 18, 1000):
        monkeypatch.setattr(tokens, "BLOCK_BYTES", size)
        table, verdict = read(b"left,middle,right\n" * 2)
        assert verdict.ok
        assert rows(table) == [THREE]


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "X.csv: expected at least one row. [empty-file]"),
        (b"\xef\xbb\xbf", "X.csv: expected at least one row. [empty-file]"),
        (b"left,middle,right\n", "X.csv: expected at least one row. [empty-file]"),
        (
            b"1,2,3\n4,5\n6,7,8\n",
            "X.csv, line 2: got '2 cells', expected 3 cells: left,middle,right. [ragged-row]",
        ),
        (b"1,2,3\n\n", "X.csv, line 2: got '1 cell', expected 3 cells: left,middle,right. [ragged-row]"),
        (
            b"1,2,3,4\r\n5,6,7\r\n",
            "X.csv, line 1: got '4 cells', expected 3 cells: left,middle,right. [ragged-row]",
        ),
        (b"1,2,3\n4,5\0,6\n", r"X.csv, line 2: got '\x00', expected text without NUL bytes. [nul-byte]"),
        (
            b"1,2,3\n4,\r5,6\n",
            r"X.csv, line 2: got '\r', expected lines that end in LF or CRLF. [lone-return]",
        ),
        (b"1,2,3\r4,5,6\r", r"X.csv, line 1: got '\r', expected lines that end in LF or CRLF. [lone-return]"),
        (
            b"1," + b"x" * 31 + b",3\n",
            "X.csv, line 1, column middle: got 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', "
            "expected at most 30 bytes. [too-long]",
        ),
        (b"1,2,caf\xe9\n", r"X.csv, line 1, column right: got 'caf\xe9', expected UTF-8 text. [not-utf8]"),
        (
            "1,2,3\n".encode("utf-16"),
            "X.csv, line 1: expected UTF-8 text; this file is marked as UTF-16. [encoding]",
        ),
        (
            b"Left,Middle,Right\n1,2,3\n",
            "X.csv, line 1: got 'Left,Middle,Right', "
            "expected no header, or exactly left,middle,right. [bad-header]",
        ),
    ],
)
def test_what_is_no_table_is_located(raw: bytes, message: str) -> None:
    _, verdict = read(raw)
    assert [str(problem) for problem in verdict.problems] == [message]
    assert verdict.total == 1


def test_a_file_over_the_limit_is_left_unread() -> None:
    stream = io.BytesIO(b"1,2,3\n" * 10_000_000)
    found = Findings("X.csv")
    read_table(stream, tuple(Column(name, 30, str) for name in THREE), found, max_bytes=100)
    assert [problem.code for problem in found.verdict().problems] == ["too-large"]
    assert stream.tell() <= 2 * tokens.BLOCK_BYTES


def test_a_line_without_end_is_one_problem() -> None:
    _, verdict = read(b"1,2,3\n" + b"x" * 20_000_000 + b"\n4,5,6\n")
    assert [(problem.line, problem.code) for problem in verdict.problems] == [(2, "ragged-row")]


def test_problems_beyond_the_cap_are_counted_and_the_first_are_told() -> None:
    table, verdict = read(b"1,2,3\n1,2\n" * 500)
    assert verdict.total == 500
    assert [problem.line for problem in verdict.problems] == list(range(2, 2 + 2 * CAP, 2))
    assert table.n_lines == 1000
    assert table.n_rows == 500
