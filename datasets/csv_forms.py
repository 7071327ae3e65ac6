"""Other ways to write the same table: quoted cells, another separator, a row of names above the data.

Each is accepted where it can mean one thing only, line by line, so that lines keep their numbers. What is
left as it is becomes a problem of its line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from datasets.messages import Message, Template

QUOTED_CELLS = Template("quoted-cells", "The cells are in quotes. They were read without them.")
OTHER_SEPARATOR = Template(
    "other-separator", "The cells are separated by %(separator)s. They were read as if by commas."
)
HEADER_ROW = Template("header-row", "The first line names the columns. It was left out.")
SEMICOLON = Template("separator.semicolon", "semicolons")
TAB = Template("separator.tab", "tabs")
BAR = Template("separator.bar", "vertical bars")
SEPARATORS = {b";": SEMICOLON, b"\t": TAB, b"|": BAR}

HEAD = 64 * 1024
"""Where the first quotes are looked for."""
LINES_SEEN = 100
"""How many lines must agree on another separator."""
MISSING = frozenset(
    {"", "-", "*", "?", "na", "n/a", "#n/a", "nan", "null", "none", "nil", "missing", "del", "<na>"}
)
"""What programs write where there is no value."""
_NAME = re.compile(r"[^\W\d_][^,;\t\"]*")

CouldHold = Callable[[int, str], bool]
"""Whether a cell of the column with this number could hold the text."""

_QUOTED: dict[bytes, re.Pattern[bytes]] = {}


def without_quotes(text: bytes, separator: bytes = b",") -> bytes:
    r"""Whole lines with the quotes around cells removed, where no cell needs them.

    A cell that holds a separator, a quote or the end of a line stays as it is.

    >>> without_quotes(b'"a","b c",3\r\n"d",e"f,""\n')
    b'a,b c,3\r\nd,e"f,\n'
    >>> without_quotes(b'"1,000","a""b"\n')
    b'"1,000","a""b"\n'
    """
    pattern = _QUOTED.get(separator)
    if pattern is None:
        end = re.escape(separator)
        pattern = re.compile(rb"(?<![^\n" + end + rb'])"([^"\r\n' + end + rb']*)"(?![^\r\n' + end + rb"])")
        _QUOTED[separator] = pattern
    return pattern.sub(rb"\1", text)


def is_quoted(text: bytes, separator: bytes = b",") -> bool:
    r"""Whether a program put quotes around cells: around all of the first line, or around a whole column.

    A quoted cell among bare ones is a slip of the hand, and R leaves missing values bare.

    >>> is_quoted(b'"id","age"\n7,8\n'), is_quoted(b'"a",1\n"b",2\nNA,3\n')
    (True, True)
    >>> is_quoted(b'a,1\n"b",2\nc,3\n'), is_quoted(b'"a",1\n')
    (False, False)
    """
    rows = [line.removesuffix(b"\r").split(separator) for line in _first_lines(text)]
    if rows and all(_is_in_quotes(cell) for cell in rows[0]):
        return True
    below = rows[1:]
    columns = list(zip(*below, strict=False)) if len(below) > 1 else []
    return any(
        _is_in_quotes(column[0]) and all(_is_in_quotes(cell) or _is_missing(cell) for cell in column)
        for column in columns
    )


def _is_in_quotes(cell: bytes) -> bool:
    return len(cell) > 1 and cell.startswith(b'"') and cell.endswith(b'"')


def _is_missing(cell: bytes) -> bool:
    return cell.decode("utf-8", "replace").lower() in MISSING


def separator_of(text: bytes, width: int) -> bytes | None:
    r"""What separates the cells of the first lines, where it is certain that it is no comma.

    >>> separator_of(b"a;b;c\n1;2;3\n", 3), separator_of(b"a\tb\n", 2)
    (b';', b'\t')
    >>> separator_of(b"a;1,5\nb;2,5\n", 2) is None  # A comma may be a decimal sign or a separator.
    True
    """
    lines = _first_lines(text)
    if width < 2 or not lines or any(b"," in line for line in lines):
        return None
    fitting = [sign for sign in SEPARATORS if all(line.count(sign) == width - 1 for line in lines)]
    return fitting[0] if len(fitting) == 1 else None


def with_commas(text: bytes, separator: bytes) -> bytes:
    r"""Whole lines with commas as separators; a line that holds a comma already stays as it is.

    >>> with_commas(b"a;b\n1;2,5\n", b";")
    b'a,b\n1;2,5\n'
    """
    if b"," not in text:
        return text.replace(separator, b",")
    lines = text.split(b"\n")
    return b"\n".join(line if b"," in line else line.replace(separator, b",") for line in lines)


def named(separator: bytes) -> Message:
    return SEPARATORS[separator]()


class Form(NamedTuple):
    """How the cells of a file are written: the separator where it is not the comma, and whether in quotes."""

    separator: bytes | None = None
    quoted: bool = False

    def rewritten(self, text: bytes) -> bytes:
        """Whole lines with commas between bare cells."""
        bare = without_quotes(text, self.separator or b",") if self.quoted else text
        return bare if self.separator is None else with_commas(bare, self.separator)

    def said(self) -> list[Message]:
        """What is done to a file of this form."""
        quoted = [QUOTED_CELLS()] if self.quoted else []
        return (
            quoted if self.separator is None else [*quoted, OTHER_SEPARATOR(separator=named(self.separator))]
        )


PLAIN = Form()


def form_of(text: bytes, width: int) -> Form:
    """The form of a file, by its first lines.

    >>> form_of(b'"a";1\\n"b";2\\n"c";3\\n', 2)
    Form(separator=b';', quoted=True)
    """
    separator = None
    if text.find(b",", 0, text.find(b"\n")) < 0:
        separator = separator_of(text, width)
    return Form(separator, text.find(b'"', 0, HEAD) >= 0 and is_quoted(text, separator or b","))


def is_header(first: Sequence[str], second: Sequence[str], could_hold: CouldHold) -> bool:
    """Whether a first row can only be a row of names: half of its cells are words where data cannot be.

    A row that merely holds a bad value is not one: names are different words without digits, and the row
    below is data in all those columns.

    >>> digits = lambda rank, text: rank == 0 or text.isdigit()
    >>> is_header(["id", "age"], ["a", "7"], digits), is_header(["b", "NA"], ["a", "7"], digits)
    (True, False)
    >>> is_header(["id", "age"], ["a", "old"], digits)  # The row below is no data either.
    False
    """
    if len(first) != len(second) or len(set(first)) < len(first):
        return False
    strange = [rank for rank, text in enumerate(first) if not could_hold(rank, text)]
    return (
        2 * len(strange) >= len(first)
        and all(_NAME.fullmatch(first[rank]) and not _has_digit(first[rank]) for rank in strange)
        and all(text.strip().lower() not in MISSING for text in first)
        and all(could_hold(rank, second[rank]) for rank in strange)
    )


def in_another_order(header: Sequence[str], names: Sequence[str]) -> bool:
    """Whether a header names declared columns in other places: then it says what the data are not.

    >>> in_another_order(["age", "id"], ["id", "age"]), in_another_order(["id", "years"], ["id", "age"])
    (True, False)
    """
    return any(text in names and names[rank] != text for rank, text in enumerate(header))


def _has_digit(text: str) -> bool:
    return any(char.isdigit() for char in text)


def _first_lines(text: bytes) -> list[bytes]:
    lines = text.split(b"\n", LINES_SEEN)[:LINES_SEEN]
    return [line for line in lines if line.strip(b"\r\0")]
