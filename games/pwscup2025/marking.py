"""The attacks of the organisers and of the house: who of the population was in the data?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from games.contract.tables import Columns
from games.tables.attacks import nearest_in_blocks, rows_of
from games.tables.shape import whole_column

from .boosted import Model, model_rows, probabilities
from .layout import CATEGORIES, COLUMNS, Floats, Texts, numbers_of
from .neighbours import Points, kth_distance, nearest, points_of

Marks = npt.NDArray[np.bool_]
SURE = 0.1
"""How near to the truth a sure prediction is."""
TINY = 1e-6
"""Added to both distances of a ratio, so that equal rows have one."""


class Exhibit(NamedTuple):
    """What attackers see of an entry."""

    population: Texts
    released: Texts
    model: Model
    n_members: int


def points_in(shown: Exhibit) -> Points:
    return points_of(shown.population, shown.released)


def errors_of(shown: Exhibit) -> Floats:
    """How far the model's probability is from what a row has, |p − y|."""
    chances = probabilities(shown.model, model_rows(shown.model, shown.population)).astype(np.float64)
    return np.abs(chances - numbers_of(shown.population[shown.model.target]))


def marked_as_nearest(points: Points) -> Marks:
    """The rows that are nearest to some released row; fewer than released, since several share one."""
    marks = np.zeros(len(points.population), dtype=bool)
    marks[nearest(points.released, points.population)[0]] = True
    return marks


def marked_as_predicted(model: Model, population: Texts) -> Marks:
    """The rows whose target the model predicts correctly."""
    chances = probabilities(model, model_rows(model, population))
    return (chances >= np.float32(0.5)) == (numbers_of(population[model.target]) == 1)


def marked_as_sure(errors: Floats) -> Marks:
    return errors <= SURE


def majority(*votes: Marks) -> Marks:
    """The rows that more than half of the attacks mark."""
    return 2 * np.sum(votes, axis=0) > len(votes)


def best(score: Floats, n: int) -> Marks:
    """The n rows with the highest score; of equal ones the first in the file.

    >>> best(np.array([1.0, 3.0, 1.0]), 2).tolist()
    [True, True, False]
    """
    marks = np.zeros(len(score), dtype=bool)
    marks[np.argsort(-score, kind="stable")[:n]] = True
    return marks


def exactly(marks: Marks, score: Floats, n: int) -> Marks:
    """The n best rows, those that are marked before all others.

    >>> exactly(np.array([True, False, False]), np.array([0.0, 1.0, 2.0]), 2).tolist()
    [True, False, True]
    """
    ranks = np.empty(len(score))
    ranks[np.argsort(-score, kind="stable")] = np.arange(len(score), 0, -1)
    return best(ranks + len(score) * marks, n)


def nearest_attack(shown: Exhibit, rng: np.random.Generator) -> Marks:
    points = points_in(shown)
    return exactly(marked_as_nearest(points), nearness(points), shown.n_members)


def blocks_attack(shown: Exhibit, rng: np.random.Generator) -> Marks:
    """Those who are nearest to a released row of the same gender, race and ethnicity."""
    tables = [_columns(table) for table in (shown.population, shown.released)]
    points, released = rows_of(tables, [name for name in COLUMNS if name not in CATEGORIES], ())
    blocks = [np.array([" ".join(row) for row in zip(*(table[name] for name in CATEGORIES), strict=True)])
              for table in (shown.population, shown.released)]  # fmt: skip
    return best(-nearest_in_blocks(points, released, *blocks).distance, shown.n_members)


def _columns(table: Texts) -> Columns:
    """The numbers of a table, the median where a cell is empty."""
    return {name: whole_column(numbers_of(table[name])) for name in COLUMNS if name not in CATEGORIES}


def confidence_attack(shown: Exhibit, rng: np.random.Generator) -> Marks:
    return best(-errors_of(shown), shown.n_members)


def majority_attack(shown: Exhibit, rng: np.random.Generator) -> Marks:
    points, errors = points_in(shown), errors_of(shown)
    predicted = marked_as_predicted(shown.model, shown.population)
    votes = majority(marked_as_nearest(points), predicted, marked_as_sure(errors))
    return exactly(votes, nearness(points), shown.n_members)


def density_attack(shown: Exhibit, rng: np.random.Generator) -> Marks:
    return best(density_ratio(points_in(shown), rng), shown.n_members)


def blind_attack(shown: Exhibit, rng: np.random.Generator) -> Marks:
    return best(rng.random(len(shown.population[shown.model.target])), shown.n_members)


def nearness(points: Points) -> Floats:
    """Minus the distance to the nearest released row."""
    return -kth_distance(points.population, points.released, 1)


def density_ratio(points: Points, rng: np.random.Generator) -> Floats:
    """How much denser the release is around a row than the population (van Breugel et al. 2023, DOMIAS).

    Densities are compared by the distances to the nearest neighbour, in the release and in as many rows of
    the population. A row that is among them is no neighbour of itself.
    """
    rows = points.population
    seen = np.sort(rng.permutation(len(rows))[: len(points.released)])
    usual = kth_distance(rows, rows[seen], 1)
    usual[seen] = kth_distance(rows[seen], rows[seen], 2)
    return (usual + TINY) / (kth_distance(rows, points.released, 1) + TINY)


ATTACKS: Mapping[str, Callable[[Exhibit, np.random.Generator], Marks]] = {
    "nearest": nearest_attack,
    "blocks": blocks_attack,
    "confidence": confidence_attack,
    "majority": majority_attack,
    "density-ratio": density_attack,
    "blind": blind_attack,
}
