"""A file in another form, rewritten as the plain file that it means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from datasets.csv_forms import HEADER_ROW, form_of, in_another_order, is_header
from datasets.reader import Column, could_hold
from datasets.remarks import Remark
from datasets.tokens import BYTE_ORDER_MARK, LONGEST_LINE, Headed


class Plain(NamedTuple):
    """The plain content, and what was done to get it."""

    content: bytes
    remarks: tuple[Remark, ...] = ()


def plain_content(file: str, content: bytes, columns: Sequence[Column], headed: Headed) -> Plain:
    r"""The file as `datasets.reader` reads it; a plain one is returned as it is.

    >>> ages = Column("name", 9, str), Column("age", 3, int)
    >>> plain_content("A.csv", b'"name";"age"\n"x";7\n', ages, "required").content
    b'name,age\nx,7\n'
    """
    bare = content.removeprefix(BYTE_ORDER_MARK)
    form = form_of(bare, len(columns))
    bare, done = form.rewritten(bare), form.said()
    if headed != "required" and _has_names(bare, columns):
        bare = bare[bare.find(b"\n") + 1 :]
        done.append(HEADER_ROW())
    if not done:
        return Plain(content)
    return Plain(bare, tuple(Remark(file, how, accepted=True) for how in done))


def _has_names(content: bytes, columns: Sequence[Column]) -> bool:
    """Whether the first line is a header that is not exactly the declared one, which may stay."""
    lines = content[: 2 * LONGEST_LINE].split(b"\n", 2)
    if len(lines) < 3:
        return False
    first, second = (line.removesuffix(b"\r").decode("utf-8", "replace").split(",") for line in lines[:2])
    names = [column.name for column in columns]
    if first == names or len(first) != len(names) or in_another_order(first, names):
        return False
    return is_header(first, second, could_hold(columns))
