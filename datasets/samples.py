"""The beginning of a refused file, cut into cells by whatever separates them."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

from datasets.csv_forms import MISSING, SEPARATORS, CouldHold

HEAD_BYTES = 64 * 1024
ROWS_SEEN = 300
LONGEST_SEEN = 1000
"""Cells and names of columns are compared up to so many characters."""
BYTE_ORDER_MARK = "\ufeff"


def read_head(source: BinaryIO | Path) -> bytes:
    """The first bytes of a file, whatever was read of it before; nothing where it cannot be read again."""
    if isinstance(source, Path):
        with source.open("rb") as file:
            return file.read(HEAD_BYTES)
    try:
        place = source.tell()
        source.seek(0)
        head = source.read(HEAD_BYTES)
        source.seek(place)
    except (OSError, ValueError):
        return b""
    return head


def size_of(source: BinaryIO | Path) -> int | None:
    """How many bytes a file has, where that can be known without reading it."""
    if isinstance(source, Path):
        return source.stat().st_size
    try:
        place = source.tell()
        size = source.seek(0, io.SEEK_END)
        source.seek(place)
    except (OSError, ValueError):
        return None
    return size


@dataclass(frozen=True, eq=False)
class Sample:
    """The first bytes of a file, and what its columns are called and may hold."""

    file: str
    head: bytes
    names: tuple[str, ...]
    could_hold: CouldHold

    @cached_property
    def text(self) -> str:
        """The first bytes as UTF-8, without a broken last line."""
        whole = self.head
        if len(whole) >= HEAD_BYTES and b"\n" in whole:
            whole = whole[: whole.rfind(b"\n") + 1]
        return whole.decode("utf-8", "replace").removeprefix(BYTE_ORDER_MARK)

    @cached_property
    def separator(self) -> str:
        """The character that divides most lines into the same number of cells."""
        lines = [line for line in self.text.split("\n")[:ROWS_SEEN] if line.strip()]
        best, chosen = 0, ","
        for sign in (",", *(sign.decode() for sign in SEPARATORS)):
            counts = [line.count(sign) for line in lines]
            fitting = sum(count == len(self.names) - 1 for count in counts)
            if len(self.names) > 1 and fitting > best:
                best, chosen = fitting, sign
        return chosen if best else self._most_frequent(lines)

    def _most_frequent(self, lines: Sequence[str]) -> str:
        """Where no separator fits: one that every line has, the comma first unless it is rarer."""
        signs = [",", *(sign.decode() for sign in SEPARATORS)]
        least = {sign: min((line.count(sign) for line in lines), default=0) for sign in signs}
        return max(signs, key=lambda sign: least[sign])

    @cached_property
    def rows(self) -> list[list[str]]:
        """The cells of the first lines, without the quotes around them."""
        reader = csv.reader(io.StringIO(self.text.replace("\0", "")), delimiter=self.separator)
        rows: list[list[str]] = []
        try:
            for row in reader:
                if row and len(rows) < ROWS_SEEN:
                    rows.append([cell[:LONGEST_SEEN] for cell in row])
        except csv.Error:
            pass
        return rows

    @cached_property
    def has_names(self) -> bool:
        """Whether the first row holds two names of columns, or the only one."""
        if not self.rows:
            return False
        known = {plain_name(name) for name in self.names}
        return len({plain_name(cell) for cell in self.rows[0]} & known) >= min(2, len(known))

    @cached_property
    def data(self) -> list[list[str]]:
        return self.rows[1:] if self.has_names else self.rows

    def fit(self, could_hold: CouldHold, width: int, skipped: int = 0) -> float:
        """The share of cells that could be data of some columns, after some cells of each row.

        The first row does not count: it may hold names. A missing value says nothing.
        """
        good = n_cells = 0
        for row in self.rows[1:] or self.rows:
            cells = row[skipped:]
            n_cells += width
            if len(cells) == width:
                good += sum(
                    cell.lower() not in MISSING and could_hold(rank, cell) for rank, cell in enumerate(cells)
                )
        return good / n_cells if n_cells else 0.0


def plain_name(text: str) -> str:
    """The name of a column without what programs change in it.

    >>> plain_name(" Person.ID"), plain_name("person_id")
    ('personid', 'personid')
    """
    return "".join(char for char in text.lower() if char.isalnum())


def accepts(holds: CouldHold, rank: int, change: Callable[[str], str]) -> Callable[[str], bool]:
    """Whether a cell would be fine after a change."""
    return lambda text: change(text) != text and holds(rank, change(text))
