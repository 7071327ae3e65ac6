"""Answers of attackers: where they are in a file, what a cell means, and how many are right."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from games.contract.declaration import Declaration
from games.contract.tables import read_columns
from games.contract.values import Box, Fault, Result, Target

from .layout import RATINGS, Integers
from .quiz import STAR, Answers

WIDE = "E.csv"
CHALLENGE = "test"
NO_ANSWER = -1
NUMBER = re.compile(r"([0-9]{1,6})(?:\.0*)?")


class Part(NamedTuple):
    """The cells of an answer that are about one target, and where they are."""

    file: str
    first_line: int
    columns: tuple[str, str]
    person: Sequence[str]
    rating: Sequence[str]


def value_of(cell: str) -> int | None:
    """The number in a cell, `NO_ANSWER` for an empty one or a star, None for anything else.

    >>> value_of("3"), value_of("3.0"), value_of("*"), value_of(""), value_of("three")
    (3, 3, -1, -1, None)
    """
    if cell in ("", STAR):
        return NO_ANSWER
    match = NUMBER.fullmatch(cell)
    return int(match[1]) if match else None


def parts_about(declaration: Declaration, answer: Box, key: str) -> Iterator[Part]:
    """What an answer says about a target: in the file about all of them, or in one of its own."""
    own = f"{key}/{WIDE}"
    if WIDE in answer.names():
        columns = read_columns(declaration, answer, WIDE, "answer")
        person, rating = f"{key}-person", f"{key}-rating"
        if person in columns:
            yield Part(WIDE, 2, (person, rating), columns[person].tolist(), columns[rating].tolist())
    if own in answer.names():
        columns = read_columns(declaration, answer, own, "answer")
        yield Part(own, 1, ("person", "rating"), columns["person"].tolist(), columns["rating"].tolist())


def is_blank(part: Part) -> bool:
    """Whether a target is left out."""
    return all(cell in ("", STAR) for cell in (*part.person, *part.rating))


def faults_of(part: Part, n_persons: int) -> Iterator[Fault]:
    """Everything that is wrong with the cells about one target."""
    wanted = (("not-a-person", part.person, n_persons), ("not-a-rating", part.rating, RATINGS))
    for (code, cells, limit), column in zip(wanted, part.columns, strict=True):
        for row, cell in enumerate(cells):
            value = value_of(cell)
            if value is None or value >= limit:
                line = part.first_line + row
                yield Fault(code, part.file, line, column, cell, {"last": limit - 1})


def cover(
    declaration: Declaration, answer: Box, targets: Sequence[Target], n_persons: int
) -> Iterator[Fault | tuple[str, str]]:
    """What is wrong with an answer, a wrong length once per file, and the targets that it answers."""
    faulty = set()
    for target in targets:
        parts = [part for part in parts_about(declaration, answer, target.key) if not is_blank(part)]
        if len(parts) > 1:
            yield Fault("answered-twice", parts[1].file)
        for part in parts:
            if len(part.person) == n_persons:
                yield from faults_of(part, n_persons)
            elif part.file not in faulty:
                faulty.add(part.file)
                yield Fault("wrong-length", part.file, got=str(len(part.person)), values={"n": n_persons})
        if parts:
            yield target.key, CHALLENGE


def read_answers(declaration: Declaration, answer: Box, key: str) -> Answers:
    part = next(part for part in parts_about(declaration, answer, key) if not is_blank(part))
    return Answers(_numbers(part.person), _numbers(part.rating))


def _numbers(cells: Sequence[str]) -> Integers:
    values = (value_of(cell) for cell in cells)
    return np.array([NO_ANSWER if value is None else value for value in values], dtype=np.int64)


def judged(given: Answers, truth: Answers) -> Result:
    """Every right person and every right rating is a hit; neither depends on the other."""
    linked, found = given.person == truth.person, given.rating == truth.rating
    link, cell = int(linked.sum()), int(found.sum())
    n_lines = len(truth.person)
    return Result(
        risk=(link + cell) / (2 * n_lines),
        numbers={"hits": link + cell, "link": link, "cell": cell},
        baseline=blind_risk(n_lines),
        evidence={"found": truth.person[linked]},
    )


def blind_risk(n_persons: int) -> float:
    """What drawing people and ratings, all with the same chance, achieves on the mean."""
    return (1 / n_persons + 1 / RATINGS) / 2
