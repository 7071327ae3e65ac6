"""The k-MM problem in numbers: who is on which quasi-identifier row, and what a legal solution is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from anonymizers.release import CannotProtect
from datasets.tables import Integers

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Problem:
    """Incidence e says that person ``person[e]`` has records on row ``row[e]``.

    Incidences are distinct and sorted by row, then person. A row is a distinct quasi-identifier with the
    coordinates ``points[row]``, scaled so that the cost of a move is the Euclidean distance. ``value`` is
    the sensitive value of every person; it matters only where ``l`` > 1.
    """

    points: Floats
    row: Integers
    person: Integers
    k: int
    l: int  # noqa: E741 - the literature's name of the parameter
    value: Integers

    @property
    def n_rows(self) -> int:
        return len(self.points)

    @property
    def n_people(self) -> int:
        return len(self.value)

    @property
    def size(self) -> int:
        """How many incidences there are."""
        return len(self.row)

    def starts(self) -> Integers:
        """The incidences of row r are ``starts[r]`` up to ``starts[r + 1]``."""
        return pointers(self.row, self.n_rows)

    def safe_rows(self) -> npt.NDArray[np.bool_]:
        """Rows that already hold k different people (and l different values): they can stay as they are."""
        return legal_rows(self, self.row)

    def distances(self, incidence: Integers, row: Integers) -> Floats:
        """What it costs each of some incidences to go to a row of its own."""
        difference = self.points[self.row[incidence]] - self.points[row]
        return np.sqrt((difference**2).sum(axis=1))

    def cost(self, target: Integers) -> float:
        """The objective (2): the summed distance of all moves."""
        moved = np.flatnonzero(target != self.row)
        return float(self.distances(moved, target[moved]).sum())


@dataclass(frozen=True, eq=False)
class Solution:
    """Where every incidence goes, what that costs, and how low any solution can go at best."""

    target: Integers
    objective: float
    bound: float
    finished: bool = True
    """False if an interrupt or a limit of time or memory ended the work early."""

    @property
    def gap(self) -> float:
        """How far the objective may be above the optimum, as a share of the bound.

        >>> Solution(np.zeros(0, dtype=np.int64), 10.5, 10.0).gap
        0.05
        """
        above = max(self.objective - self.bound, 0.0)
        return (
            0.0 if above <= 1e-9 * max(self.objective, 1.0) else above / self.bound if self.bound else np.inf
        )


def pointers(sorted_keys: Integers, size: int) -> Integers:
    """Where each key's stretch begins in a sorted array; one more entry closes the last stretch."""
    return np.searchsorted(sorted_keys, np.arange(size + 1)).astype(np.int64)


def legal_rows(problem: Problem, target: Integers) -> npt.NDArray[np.bool_]:
    """Which rows are held by at least k different people with at least l different sensitive values."""
    people = np.unique(target * problem.n_people + problem.person) // problem.n_people
    crowd = np.bincount(people, minlength=problem.n_rows) >= problem.k
    if problem.l <= 1:
        return crowd
    n_values = int(problem.value.max(initial=0)) + 1
    values = np.unique(target * n_values + problem.value[problem.person]) // n_values
    return crowd & (np.bincount(values, minlength=problem.n_rows) >= problem.l)


def is_legal(problem: Problem, target: Integers) -> bool:
    """Constraints (3), (4) and (6): rows are empty or legal, and nobody is twice on one row."""
    once = len(np.unique(target * problem.n_people + problem.person)) == problem.size
    return once and bool(legal_rows(problem, target)[target].all())


def require_solvable(problem: Problem) -> None:
    """Refuse a problem that no movement can solve.

    A person on r rows needs r open rows, since nobody may be twice on one (constraint 4), and each of
    them needs k people: Σ incidences ≥ k·r. The same count of pairs (row, sensitive value) serves l.
    Both conditions suffice as well, see `anonymizers.engines.kmm.start.dealt`.
    """
    if problem.n_people < problem.k:
        raise CannotProtect(
            f"The 'k' parameter of kmm must be at most the number of people, {problem.n_people}. "
            f"Got {problem.k} instead."
        )
    most = int(np.bincount(problem.person).max())
    if problem.size < problem.k * most:
        raise CannotProtect(
            f"kmm cannot make this table {problem.k}-anonymous: one person has {most} different "
            f"quasi-identifiers, which takes {problem.k * most} pairs of person and quasi-identifier. "
            f"Got {problem.size}. Choose a smaller k or coarser quasi-identifiers."
        )
    held = np.bincount(problem.value[problem.person])
    if problem.l > 1 and np.minimum(held, most).sum() < problem.l * most:
        raise CannotProtect(
            f"kmm cannot give every quasi-identifier {problem.l} different sensitive values: they are too "
            f"rare in this table. Choose a smaller l."
        )
