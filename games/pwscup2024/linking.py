"""The house's attacks: which person and which released row fit a line of ratings best."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from games.contract.tables import Columns
from games.tables.attacks import one_to_one

from .layout import ATTRIBUTES, RATINGS, Integers, Layout
from .quiz import Answers, Quiz

Counts = npt.NDArray[np.int16]
GLUED: tuple[tuple[str, ...], ...] = (
    ("Gender", "Age", "3877", "3889"),
    ("Occupation", "ZIP-code", "653", "3489"),
    ("673", "1881", "2138"),
    ("2", "56", "1009", "1525", "1967", "2043", "2399", "3438", "3439", "3440"),
    ("810", "1126", "1702", "2253", "3393", "3466"),
    ("885", "1654", "2086"),
    ("2143", "2872", "3479"),
    ("1750", "2021", "2093"),
    ("247", "1920", "2017", "2087"),
    ("260", "1073", "1097", "2100", "2105", "2174", "2193", "2628", "2797", "2968"),
)
"""From which of the ten files the organisers' attack takes each column."""


def glued(files: Sequence[Columns]) -> dict[str, np.ndarray]:
    """One table from the ten files, row by row in the order in which they are published."""
    return {name: file[name] for file, names in zip(files, GLUED, strict=True) for name in names}


def sample_attack(quiz: Quiz, files: Sequence[Columns], layout: Layout) -> Answers:
    """Take the person and the row of the glued table with the fewest differing cells, the first of equals."""
    table = glued(files)
    by_person = _differing_attributes(quiz.people, table)
    by_line = _differing_ratings(quiz, table, layout.movies, layout)
    person, rating = [], []
    for line, hidden in enumerate(quiz.hidden.tolist()):
        differing = by_person + by_line[line]
        rows = differing.argmin(axis=1)
        best = int(differing[np.arange(len(rows)), rows].argmin())
        person.append(best)
        rating.append(int(table[layout.movies[hidden]][rows[best]]))
    return Answers(np.array(person), np.array(rating))


def each_file_attack(quiz: Quiz, files: Sequence[Columns], layout: Layout) -> Answers:
    """Add the differences to the nearest row of each file, whatever the order of its rows.

    The hidden rating is the most frequent one among the nearest rows of the files that hold its column.
    """
    distance, votes = _each_file(quiz, files, layout)
    person = distance.argmin(axis=1)
    return Answers(person, votes[np.arange(len(person)), person].argmax(axis=1))


def assignment_attack(quiz: Quiz, files: Sequence[Columns], layout: Layout) -> Answers:
    """As `each_file_attack`, but no two lines are the same person's: the sum of all differences is least."""
    distance, votes = _each_file(quiz, files, layout)
    person = one_to_one(distance)
    return Answers(person, votes[np.arange(len(person)), person].argmax(axis=1))


def _each_file(quiz: Quiz, files: Sequence[Columns], layout: Layout) -> tuple[Integers, Integers]:
    """For every line and person the differences in all files, and the votes for each hidden rating."""
    n_persons, n_lines = len(quiz.people["Age"]), len(quiz.hidden)
    distance = np.zeros((n_lines, n_persons), dtype=np.int64)
    votes = np.zeros((n_lines, n_persons, RATINGS), dtype=np.int64)
    for file, names in zip(files, layout.projections, strict=True):
        movies = [name for name in names if name not in ATTRIBUTES]
        by_person = _differing_attributes(quiz.people, file)
        by_line = _differing_ratings(quiz, file, movies, layout)
        for line, hidden in enumerate(quiz.hidden.tolist()):
            differing = by_person + by_line[line]
            nearest = differing.min(axis=1)
            distance[line] += nearest
            if layout.movies[hidden] in movies:
                votes[line] += _counted(differing == nearest[:, None], file[layout.movies[hidden]])
    return distance, votes


def blind_attack(quiz: Quiz, rng: np.random.Generator) -> Answers:
    """Draw people and ratings without looking at anything."""
    n_lines = len(quiz.hidden)
    return Answers(rng.integers(0, len(quiz.people["Age"]), n_lines), rng.integers(0, RATINGS, n_lines))


def _differing_attributes(people: Columns, table: Columns) -> Counts:
    """For every person and row, how many attributes differ."""
    return _sum_of(people[name][:, None] != table[name] for name in ATTRIBUTES)


def _differing_ratings(quiz: Quiz, table: Columns, movies: Sequence[str], layout: Layout) -> Counts:
    """For every line and row, how many ratings differ; a hidden one always does."""
    place = {movie: number for number, movie in enumerate(layout.movies)}
    return _sum_of(quiz.ratings[:, place[movie], None] != table[movie] for movie in movies)


def _sum_of(parts: Iterable[np.ndarray]) -> Counts:
    """How many of the parts are true, cell by cell."""
    remaining = iter(parts)
    total = next(remaining).astype(np.int16)
    for part in remaining:
        total += part
    return total


def _counted(near: np.ndarray, ratings: np.ndarray) -> Integers:
    """How often every rating occurs among the rows that are near each person."""
    return np.column_stack([(near & (ratings == rating)).sum(axis=1) for rating in range(RATINGS)])
