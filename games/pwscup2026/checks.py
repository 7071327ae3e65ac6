"""What the declared columns of a release cannot say: the second layer of its validation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from datasets.tokens import BYTE_ORDER_MARK
from games.contract.tables import Columns
from games.contract.values import Box, Fault

from .layout import BINARY

C, TOKEN = "C.csv", "token.txt"
TOKEN_FORM = re.compile(r"[A-Za-z0-9]{16,}")
MISSING = frozenset(
    ("NA", "N/A", "n/a", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "None", "<NA>", "#N/A", "#NA",
     "#N/A N/A", "1.#IND", "1.#QNAN", "-1.#IND", "-1.#QNAN")
)  # fmt: skip
"""Words that the contest's own reader takes for a missing value."""
NUMBER = re.compile(r"\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*")


class Sheet:
    """A file as its lines, to quote cells as they were written."""

    def __init__(self, content: bytes) -> None:
        text = content.removeprefix(BYTE_ORDER_MARK).decode("utf-8").replace("\r\n", "\n")
        self.lines = text.removesuffix("\n").split("\n")
        self.header = self.lines[0].split(",")

    def cell(self, row: int, column: str) -> str:
        return self.lines[row + 1].split(",")[self.header.index(column)]


def release_faults(sheet: Sheet, table: Columns, known: frozenset[str] | None) -> Iterator[Fault]:
    """Everything wrong with a release whose declared checks passed; ``known`` are the legal prefectures."""

    def faults(code: str, column: str, wrong: npt.NDArray[Any]) -> Iterator[Fault]:
        for row in np.flatnonzero(wrong).tolist():
            yield Fault(code, C, row + 2, column, sheet.cell(row, column))

    yield from faults("not-whole", "age", table["age"] != np.floor(table["age"]))
    for name in BINARY:
        yield from faults("not-binary", name, (table[name] != 0) & (table[name] != 1))
    yield from faults("not-after-zero", "time", ~(table["time"] > 0))
    yield from faults("ill-and-dead", "death", (table["onset"] == 1) & (table["death"] == 1))
    places = table["prefecture"].tolist()
    yield from faults("not-text", "prefecture", np.array([place in MISSING for place in places]))
    if all(NUMBER.fullmatch(place) for place in places):
        yield Fault("only-numbers", C, 2, "prefecture", sheet.cell(0, "prefecture"))
    if known is not None:
        yield from faults("unknown-prefecture", "prefecture", np.array([one not in known for one in places]))


def token_fault(content: bytes) -> str:
    """The code of what is wrong with the form of a token, or nothing.

    >>> token_fault(b"0123456789abcdef\\n"), token_fault(b"\\n"), token_fault(b"too short")
    ('', 'token-lines', 'token-form')
    """
    try:
        lines = [line.strip() for line in content.decode("utf-8").splitlines() if line.strip()]
    except UnicodeDecodeError:
        return "token-form"
    if len(lines) != 1:
        return "token-lines"
    return "" if TOKEN_FORM.fullmatch(lines[0]) else "token-form"


def token_faults(upload: Box, own: Box) -> Iterator[Fault]:
    """A token inside an upload must be the one of the seat; nothing says what would be right."""
    if TOKEN not in upload.names():
        return
    contents = []
    for box in (upload, own):
        with box.open(TOKEN) as file:
            contents.append(file.read())
    code = token_fault(contents[0])
    if not code and contents[0].decode().strip() != contents[1].decode().strip():
        code = "token-unknown"
    if code:
        yield Fault(code, TOKEN)
