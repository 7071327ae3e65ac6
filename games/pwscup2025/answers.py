"""Answers of attackers: who is marked, whether as many as there are members, and how many are right."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from games.contract.declaration import Declaration
from games.contract.tables import read_columns
from games.contract.values import Box, Fault, Result, Seat, Target

from .marking import Marks

WIDE = "F.csv"
CHALLENGE = "member"
MOST_FAULTS = 20
MARK = re.compile(r"0*([01])(?:\.0*)?")


class Part(NamedTuple):
    """The cells of an answer that are about one target, and where they are."""

    file: str
    first_line: int
    column: str
    cells: Sequence[str]


def mark_of(cell: str) -> int | None:
    """1 or 0, or None for anything else.

    >>> [mark_of(cell) for cell in ("1", "01", "1.0", "0", "2", "", "yes")]
    [1, 1, 1, 0, None, None, None]
    """
    match = MARK.fullmatch(cell)
    return int(match[1]) if match else None


def parts_about(declaration: Declaration, answer: Box, key: str) -> Iterator[Part]:
    """What an answer says about a target: in the file about all of them, or in one of its own."""
    own = f"{key}/{WIDE}"
    if WIDE in answer.names():
        columns = read_columns(declaration, answer, WIDE, "answer")
        if key in columns:
            yield Part(WIDE, 2, key, columns[key].tolist())
    if own in answer.names():
        yield Part(own, 1, "mark", read_columns(declaration, answer, own, "answer")["mark"].tolist())


def is_blank(part: Part) -> bool:
    """Whether nobody is marked: all cells are empty or 0."""
    return all(cell == "" or mark_of(cell) == 0 for cell in set(part.cells))


def cover(
    declaration: Declaration,
    by: Seat | None,
    answer: Box,
    targets: Sequence[Target],
    params: Mapping[str, Any],
) -> Iterator[Fault | tuple[str, str]]:  # fmt: skip
    """What is wrong with an answer, and the targets that it answers. One's own may be left out."""
    for target in targets:
        parts = list(parts_about(declaration, answer, target.key))
        filled = [part for part in parts if not is_blank(part)]
        if len(filled) > 1:
            yield Fault("answered-twice", filled[1].file)
        for part in filled:
            yield from islice(_faults_of(part, params), MOST_FAULTS)
        if filled:
            yield target.key, CHALLENGE
        elif not params["leave-out"] and not _is_own(by, target):
            yield _left_out(parts, target, params)


def _is_own(by: Seat | None, target: Target) -> bool:
    return by is not None and target.seat is not None and by.number == target.seat.number


def _left_out(parts: Sequence[Part], target: Target, params: Mapping[str, Any]) -> Fault:
    values = {"n": params["members"], "found": 0}
    if parts:
        column = parts[0].column if parts[0].file == WIDE else None
        return Fault("wrong-marks", parts[0].file, column=column, values=values)
    return Fault("wrong-marks", f"{target.key}/{WIDE}", values=values)


def _faults_of(part: Part, params: Mapping[str, Any]) -> Iterator[Fault]:
    if len(part.cells) != params["population"]:
        values = {"n": params["population"], "found": len(part.cells)}
        yield Fault("wrong-length", part.file, values=values)
        return
    known = {cell: mark_of(cell) for cell in set(part.cells)}
    if None in known.values():
        for row, cell in enumerate(part.cells):
            if known[cell] is None:
                yield Fault("not-a-mark", part.file, part.first_line + row, part.column, cell)
        return
    found = sum(known[cell] or 0 for cell in part.cells)
    if found != params["members"]:
        values = {"n": params["members"], "found": found}
        yield Fault("wrong-marks", part.file, column=part.column, values=values)


def read_marks(declaration: Declaration, answer: Box, key: str) -> Marks:
    part = next(part for part in parts_about(declaration, answer, key) if not is_blank(part))
    known = {cell: mark_of(cell) == 1 for cell in set(part.cells)}
    return np.array([known[cell] for cell in part.cells], dtype=bool)


def judged(marks: Marks, members: Marks) -> Result:
    """Every member who is marked is a hit; the rows hit are stored for the penalty across attackers."""
    found = np.flatnonzero(marks & members).astype(np.int32)
    n_members = int(members.sum())
    return Result(
        risk=len(found) / n_members,
        numbers={"hits": len(found)},
        baseline=n_members / len(members),
        evidence={"found": found},
    )
