"""Cutting a CSV file into coded cells, at the speed of array arithmetic.

The format is the contest's: UTF-8, comma, LF or CRLF, no quoting. Files in another form are rewritten first
(`datasets.csv_forms`). numpy finds the separators, a cell becomes one or more 64-bit words, and equal cells
get equal codes, so everything done with a text afterwards is done once per *distinct* text. A file is read
in blocks: what is held of it does not grow with its size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal

import numpy as np
import numpy.typing as npt

from datasets.csv_forms import HEADER_ROW, PLAIN, CouldHold, Form, form_of, in_another_order, is_header
from datasets.messages import Message, Template
from datasets.problems import Findings

BLOCK_BYTES = 1024 * 1024
LONGEST_LINE = 64 * 1024
"""What is kept of a longer line; no legal line comes near it, so the rest can be dropped unread."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
COMMA, LINE_FEED, RETURN = 44, 10, 13
WORD = 8
PADDING = bytes(WORD)
WIDEST = 7 * WORD
"""Longer cells, such as sets of names, are rare and coded one by one."""
MIXER = np.uint64(0x9E3779B97F4A7C15)
PREFIX = np.array([(1 << (8 * size)) - 1 for size in range(WORD + 1)], dtype=np.uint64)

EMPTY_FILE = Template("empty-file", "at least one row")
ENCODING = Template("encoding", "UTF-8 text; this file is marked as UTF-16")
TOO_LARGE = Template("too-large", "a file of at most %(n)s bytes")
NO_HEADER = Template("no-header", "the header %(header)s")
BAD_HEADER = Template("bad-header", "no header, or exactly %(header)s")
RAGGED_ROW = Template("ragged-row", "%(n)s cells: %(header)s")
RAGGED_ROW_OF_ONE = Template("ragged-row.one", "1 cell: %(header)s")
CELLS = Template("got.cells", "%(n)s cells")
ONE_CELL = Template("got.one-cell", "1 cell")
NUL_BYTE = Template("nul-byte", "text without NUL bytes")
LONE_RETURN = Template("lone-return", "lines that end in LF or CRLF")
TOO_LONG = Template("too-long", "at most %(n)s bytes")

Headed = Literal["optional", "required", "none"]
"""Whether the first line of a file names its columns."""
Bytes = npt.NDArray[np.uint8]
Positions = npt.NDArray[np.int64]
Lines = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Layout:
    """The columns of a file and the longest cell, in bytes, that each may hold."""

    names: tuple[str, ...]
    longest: tuple[int, ...]
    headed: Headed = "optional"
    could_hold: CouldHold | None = None
    """What tells a row of names from a row of data, where it is known."""

    @property
    def header(self) -> bytes:
        return ",".join(self.names).encode()


@dataclass(frozen=True, eq=False)
class Cells:
    """One column of a block: ``texts[codes[i]]`` is the cell of row i; a code of -1 is a cell too long."""

    codes: npt.NDArray[np.intp]
    texts: list[bytes]


@dataclass(frozen=True, eq=False)
class Block:
    """Some rows of a file, those whose cells could be separated, and the 1-based line of each."""

    lines: Lines
    columns: tuple[Cells, ...]
    n_lines: int
    """How many lines the block has, including those that are not rows."""


def read_blocks(source: BinaryIO | Path, layout: Layout, found: Findings, max_bytes: int) -> Iterator[Block]:
    """Cut a file into blocks of coded cells; lines that are not rows go into ``found`` instead."""
    if isinstance(source, Path):
        with source.open("rb") as file:
            yield from read_blocks(file, layout, found, max_bytes)
        return
    line, n_lines = 1, 0
    for number, piece in enumerate(_plain(_whole_lines(source, found, max_bytes), layout, found)):
        header = _header_bytes(piece, layout, found) if number == 0 else 0
        line += header > 0
        if len(piece) > header + WORD:
            block = _block(np.frombuffer(piece, dtype=np.uint8, offset=header), line, layout, found)
            line += block.n_lines
            n_lines += block.n_lines
            yield block
    if n_lines == 0 and not found.total:
        found.add(EMPTY_FILE())


def _whole_lines(file: BinaryIO, found: Findings, max_bytes: int) -> Iterator[bytes]:
    """Pieces of the file that end where a line ends, without the byte order mark, each padded by a word."""
    start = b""
    while len(start) < len(BYTE_ORDER_MARK) and (chunk := file.read(len(BYTE_ORDER_MARK) - len(start))):
        start += chunk
    if start.startswith(UTF_16_MARKS):
        found.add(ENCODING(), line=1)
        return
    rest, read = start.removeprefix(BYTE_ORDER_MARK), len(start)
    while chunk := file.read(BLOCK_BYTES):
        read += len(chunk)
        if read > max_bytes:
            found.add(TOO_LARGE(n=max_bytes))
            return
        cut = chunk.rfind(b"\n") + 1
        if cut:
            yield b"".join((rest, chunk[:cut], PADDING))
            rest = b""
        rest = (rest + chunk[cut:])[:LONGEST_LINE]
    if rest:
        yield (rest if rest.endswith(b"\n") else rest + b"\n") + PADDING


def _plain(pieces: Iterator[bytes], layout: Layout, found: Findings) -> Iterator[bytes]:
    """The pieces with commas between bare cells; what was rewritten is noted."""
    form: Form | None = None
    for piece in pieces:
        if form is None:
            form = form_of(piece, len(layout.names))
            for how in form.said():
                found.read_as(how)
        yield piece if form == PLAIN else form.rewritten(piece)


def _header_bytes(piece: bytes, layout: Layout, found: Findings) -> int:
    """The length of a first line of column names: ours, or one that can be nothing else.

    Anything else that is like ours is a problem.
    """
    size = piece.find(b"\n") + 1
    first = piece[: min(size - 1, LONGEST_LINE)].removesuffix(b"\r")
    if first == layout.header and layout.headed != "none":
        if layout.headed == "optional":
            found.read_as(HEADER_ROW())
        return size
    if layout.headed != "required" and _are_names(piece, layout):
        found.read_as(HEADER_ROW())
        return size
    if layout.headed == "none":
        return 0
    if layout.headed == "required":
        found.add(NO_HEADER(header=layout.header.decode()), line=1, got=first)
        return size
    words = {word.strip(b" \"'").lower() for word in first.split(b",")}
    # A single name may be a strange pseudonym; two are no coincidence.
    if len(words & {name.encode() for name in layout.names}) >= min(2, len(layout.names)):
        found.add(BAD_HEADER(header=layout.header.decode()), line=1, got=first)
        return size
    return 0


def _are_names(piece: bytes, layout: Layout) -> bool:
    """Whether the first row cannot be data and the second one can."""
    if layout.could_hold is None:
        return False
    end = piece.find(b"\n")
    below = piece.find(b"\n", end + 1)
    if below < 0 or below > 2 * LONGEST_LINE:
        return False
    first, second = (_cells_of(line) for line in (piece[:end], piece[end + 1 : below]))
    if len(first) != len(layout.names) or in_another_order(first, layout.names):
        return False
    return is_header(first, second, layout.could_hold)


def _cells_of(line: bytes) -> list[str]:
    return line.removesuffix(b"\r").decode("utf-8", "replace").split(",")


def _block(buffer: Bytes, line: int, layout: Layout, found: Findings) -> Block:
    width = len(layout.names)
    is_separator = buffer == COMMA
    is_separator |= buffer == LINE_FEED
    separators = np.flatnonzero(is_separator)
    last = np.flatnonzero(buffer[separators] == LINE_FEED)
    ends = separators[last]
    lines = np.arange(line, line + len(ends), dtype=np.int32)
    broken = _broken_lines(buffer, ends, lines, found)
    regular = len(separators) == width * len(ends) and bool((separators[width - 1 :: width] == ends).all())
    if not regular or broken is not None:
        whole = np.ones(len(ends), dtype=bool) if broken is None else ~broken
        fields = np.diff(last, prepend=-1)
        ragged = whole & (fields != width)
        counts = fields[ragged]
        found.add_rows(_wanted_cells(layout), lines[ragged], lambda k: _cells(counts[k]))
        whole &= ~ragged
        starts_of_lines = np.append(0, ends[:-1] + 1)[whole]
        stops = separators[last[whole, None] - np.arange(width - 1, -1, -1)]
        lines = lines[whole]
    else:
        stops = separators.reshape(-1, width)
        starts_of_lines = np.append(0, ends[:-1] + 1)
    return Block(lines, _columns(buffer, starts_of_lines, stops, lines, layout, found), len(ends))


def _wanted_cells(layout: Layout) -> Message:
    width, header = len(layout.names), layout.header.decode()
    return RAGGED_ROW_OF_ONE(header=header) if width == 1 else RAGGED_ROW(n=width, header=header)


def _cells(count: int) -> Message:
    return ONE_CELL() if count == 1 else CELLS(n=count)


def _broken_lines(
    buffer: Bytes, ends: Positions, lines: Lines, found: Findings
) -> npt.NDArray[np.bool_] | None:
    """Lines with a NUL byte or with a carriage return that ends no line; None where there are none."""
    text = buffer[:-WORD]
    is_return = text == RETURN
    if text.min() > 0 and np.count_nonzero(is_return) == np.count_nonzero(is_return[ends - 1]):
        return None
    nul = np.flatnonzero(text == 0)
    returns = np.flatnonzero(is_return)
    lone = returns[buffer[returns + 1] != LINE_FEED]
    broken = np.zeros(len(ends), dtype=bool)
    for places, got, expected in ((nul, "\0", NUL_BYTE()), (lone, "\r", LONE_RETURN())):
        rows = np.unique(np.searchsorted(ends, places))
        found.add_rows(expected, lines[rows], lambda k, got=got: got)  # type: ignore[misc]
        broken[rows] = True
    return broken


def _columns(
    buffer: Bytes, first: Positions, stops: Positions, lines: Lines, layout: Layout, found: Findings
) -> tuple[Cells, ...]:
    columns, starts = [], first
    for rank, (name, longest) in enumerate(zip(layout.names, layout.longest, strict=True)):
        ends = stops[:, rank].copy()
        following = ends + 1
        if rank == len(layout.names) - 1 and len(ends):
            # A return before the line feed belongs to the line end. An empty last cell cannot hold one: the
            # byte before it is a comma, or the line feed of the line above.
            ends -= (buffer[ends - 1] == RETURN) & (ends > starts)
        sizes = ends - starts
        if sizes.max(initial=0) <= min(longest, WIDEST):
            columns.append(code_cells(buffer, starts, sizes))
        else:
            columns.append(_code_long_cells(buffer, starts, sizes, longest))
            excess = np.flatnonzero(sizes > longest)
            texts = _texts_at(buffer, starts[excess], sizes[excess])
            found.add_rows(TOO_LONG(n=longest), lines[excess], texts, column=name, rank=rank)
        starts = following
    return tuple(columns)


def _texts_at(buffer: Bytes, starts: Positions, sizes: Positions) -> Callable[[int], bytes]:
    return lambda k: buffer[starts[k] : starts[k] + min(sizes[k], LONGEST_LINE)].tobytes()


def _code_long_cells(buffer: Bytes, starts: Positions, sizes: Positions, longest: int) -> Cells:
    """Code a column with cells too wide for words; those that are too long get -1."""
    codes = np.full(len(sizes), -1, dtype=np.intp)
    narrow = np.flatnonzero(sizes <= min(longest, WIDEST))
    cells = code_cells(buffer, starts[narrow], sizes[narrow])
    codes[narrow] = cells.codes
    wide = np.flatnonzero((sizes > WIDEST) & (sizes <= longest))
    text_at = _texts_at(buffer, starts[wide], sizes[wide])
    code_of: dict[bytes, int] = {}
    for k, row in enumerate(wide.tolist()):
        codes[row] = len(cells.texts) + code_of.setdefault(text_at(k), len(code_of))
    return Cells(codes, [*cells.texts, *code_of])


def code_cells(buffer: Bytes, starts: Positions, sizes: Positions) -> Cells:
    """Give equal cells equal codes. The buffer must go on for 8 bytes after the last cell.

    Cells hold no NUL byte, so a text padded with NULs to whole words is as good as the text.
    """
    n_words = max(1, -(-int(sizes.max(initial=0)) // WORD))
    at_any_byte = np.ndarray((len(buffer) - WORD + 1,), dtype="<u8", buffer=buffer, strides=(1,))
    words = []
    for number in range(n_words):
        kept = np.clip(sizes - WORD * number, 0, WORD) if n_words > 1 else sizes
        places = np.minimum(starts + WORD * number, len(at_any_byte) - 1) if number else starts
        words.append(at_any_byte[places] & PREFIX[kept])
    if n_words == 1:
        codes, distinct = _factorized(words[0])
        return Cells(codes, distinct.astype("<u8").view(f"S{WORD}").tolist())
    codes = _code_words(words)
    first = _first_rows(codes)
    table = np.ascontiguousarray(np.stack([word[first] for word in words], axis=1).astype("<u8"))
    return Cells(codes, table.view(f"S{WORD * n_words}").ravel().tolist())


def _factorized(values: npt.NDArray[Any]) -> tuple[npt.NDArray[np.intp], npt.NDArray[Any]]:
    """The code of each value, and the distinct values in the order of their codes.

    pandas takes most of the start of a process, and not every process reads a table.
    """
    import pandas as pd

    codes, distinct = pd.factorize(values)
    return codes, np.asarray(distinct)


def _code_words(words: list[npt.NDArray[np.uint64]]) -> npt.NDArray[np.intp]:
    """Code cells of several words: by one mixed word if no two cells share it, else word by word."""
    mixed = words[0]
    for word in words[1:]:
        mixed = (mixed ^ (mixed >> np.uint64(32))) * MIXER + word
    codes, _ = _factorized(mixed)
    first = _first_rows(codes)
    if all((word[first][codes] == word).all() for word in words):
        return codes
    codes, _ = _factorized(words[0])
    for word in words[1:]:
        inner, inner_distinct = _factorized(word)
        codes, _ = _factorized(codes * len(inner_distinct) + inner)
    return codes


def _first_rows(codes: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """The first row of each code."""
    first = np.empty(codes.max(initial=-1) + 1, dtype=np.intp)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    return first
