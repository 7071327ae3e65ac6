"""The test set: who is asked about, their ratings in another order, and one hidden rating each."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from games.contract.declaration import Declaration
from games.contract.tables import Columns, read_columns, write_table
from games.contract.values import Box, Out

from .layout import ATTRIBUTES, NAME, Integers, Layout, matrix

HIDDEN = -1
"""The rating of a cell that attackers do not see; on file it is a star."""
STAR = "*"
SALT_BYTES = 16


class Quiz(NamedTuple):
    """What attackers see: people with their attributes, and lines of ratings with one hidden cell each."""

    people: Columns
    ratings: Integers
    hidden: Integers
    """The column of each line that is hidden."""


class Answers(NamedTuple):
    """For every line of ratings a person, counted from 0, and the hidden rating."""

    person: Integers
    rating: Integers


def draw(
    table: Columns,
    layout: Layout,
    n_persons: int,
    rng: np.random.Generator,
    hidden: Integers | None = None,
    without: Sequence[str] = (),
) -> tuple[Quiz, Answers]:
    """Draw people, put their ratings into another order and hide one of each line.

    ``hidden`` gives the columns where they are not drawn; ``without`` names people who are left out.
    """
    left_out = set(without)
    free = np.array([row for row, name in enumerate(table[NAME]) if name not in left_out], dtype=np.int64)
    rows = rng.permutation(free)[:n_persons]
    owner = rng.permutation(n_persons)
    columns = rng.integers(0, len(layout.movies), n_persons) if hidden is None else hidden
    ratings = matrix(table, layout.movies)[rows[owner]]
    lines = np.arange(n_persons)
    answers = Answers(owner, ratings[lines, columns].copy())
    ratings[lines, columns] = HIDDEN
    people = {name: table[name][rows] for name in (NAME, *ATTRIBUTES)}
    return Quiz(people, ratings, columns), answers


def write_quiz(out: Out, prefix: str, layout: Layout, quiz: Quiz, answers: Answers) -> None:
    write_table(out, f"{prefix}a.csv", quiz.people)
    cells = quiz.ratings.astype(object)
    cells[quiz.ratings == HIDDEN] = STAR
    write_table(out, f"{prefix}b.csv", dict(zip(layout.movies, cells.T, strict=True)))
    write_table(out, f"{prefix}x.csv", answers._asdict(), header=False)


def read_quiz(declaration: Declaration, box: Box, prefix: str, layout: Layout) -> Quiz:
    lines = read_columns(declaration, box, f"{prefix}b.csv")
    cells = np.column_stack([lines[movie] for movie in layout.movies])
    ratings = np.where(cells == STAR, str(HIDDEN), cells).astype(np.int64)
    people = read_columns(declaration, box, f"{prefix}a.csv")
    return Quiz(people, ratings, (ratings == HIDDEN).argmax(axis=1))


def read_truth(declaration: Declaration, box: Box, prefix: str) -> Answers:
    columns = read_columns(declaration, box, f"{prefix}x.csv")
    return Answers(columns["person"], columns["rating"])


def common_columns(layout: Layout, n_persons: int, rng: np.random.Generator) -> bytes:
    """The columns hidden in every target, line by line, with a salt: the text that is committed to."""
    columns = [layout.movies[number] for number in rng.integers(0, len(layout.movies), n_persons)]
    return json.dumps({"columns": columns, "salt": rng.bytes(SALT_BYTES).hex()}).encode() + b"\n"


def read_common_columns(content: bytes, layout: Layout) -> Integers:
    columns = json.loads(content)["columns"]
    return np.array([layout.movies.index(name) for name in columns], dtype=np.int64)
