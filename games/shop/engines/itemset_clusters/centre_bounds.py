"""How few clusters there can be if every centre is some customer's own item set: an integer program."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from datasets.tables import Integers

Distances = npt.NDArray[np.float64]

MOST_CUSTOMERS = 1000
"""The model has one variable per customer and neighbour; beyond this it takes more than minutes."""


@dataclass(frozen=True, eq=False)
class CentreBound:
    """``lower`` is proven: with customers' item sets as centres no fewer clusters are within the limit.

    ``relaxed`` is the optimum of the model as solved, of which ``lower`` is the next whole number.
    ``centres`` are the rows of a solution with ``lower`` clusters if one was found, else empty.
    """

    lower: int
    relaxed: float
    centres: Integers


def centre_bound(
    sets: sparse.csr_matrix, limit: float, *, whole: bool = False, neighbours: int = 10, seconds: float = 60.0
) -> CentreBound:
    """Bound the number of clusters from below: facility location with a budget of distance.

        minimise Σ_j y_j   subject to   y_i + Σ_{j ∈ N(i)} x_ij + z_i = 1,   0 ≤ x_ij ≤ y_j,
                                        Σ d_ij x_ij + Σ f_i z_i ≤ limit · n,

    y_j = 1 where customer j's item set is a centre. N(i) are the nearest ``neighbours`` of i; z_i represents
    any farther centre, at the distance f_i of the nearest one outside N(i), and needs no centre to be open:
    that relaxes the model, so its optimum stays a lower bound. ``whole`` asks for integer y_j; else the
    linear relaxation is solved. Free centres, which are no customer's item set, can go below the bound.

    >>> sets = sparse.csr_matrix([[1.0, 1, 0, 0], [1, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1]])
    >>> centre_bound(sets, 0.1, whole=True).lower
    2
    """
    if sets.shape[0] > MOST_CUSTOMERS:
        raise ValueError(f"The bound is for at most {MOST_CUSTOMERS} customers. Got {sets.shape[0]} instead.")
    distance = pairwise_jaccard(sets)
    value, opened = _solved(distance, limit, whole, min(neighbours, len(distance) - 1), seconds)
    lower = max(1, math.ceil(value - 1e-6))
    kept = whole and len(opened) == lower and distance[:, opened].min(axis=1).mean() <= limit
    return CentreBound(lower, value, opened if kept else np.zeros(0, dtype=np.int64))


def pairwise_jaccard(sets: sparse.csr_matrix) -> Distances:
    """All Jaccard distances between the rows, as a dense matrix."""
    return jaccard_between(sets, sets)


def jaccard_between(left: sparse.csr_matrix, right: sparse.csr_matrix) -> Distances:
    """The Jaccard distances of all rows of one matrix to all rows of another."""
    common = (left @ right.T).toarray()
    union = np.asarray(left.sum(axis=1)).ravel()[:, None] + np.asarray(right.sum(axis=1)).ravel()[None, :]
    union -= common
    # Two empty sets have nothing to differ in: their distance is 0.
    common[union == 0] = 1.0
    union[union == 0] = 1.0
    common /= union
    return np.subtract(1.0, common, out=common)


def _solved(
    distance: Distances, limit: float, whole: bool, neighbours: int, seconds: float
) -> tuple[float, Integers]:
    """The proven lower bound of the model's optimum, and which centres its solution opens."""
    import pulp

    opens, problem = _model(distance, limit, whole, neighbours)
    status = problem.solve(pulp.HiGHS(msg=False, timeLimit=seconds, threads=1))
    proven = float(problem.solverModel.getInfo().mip_dual_bound) if whole else 0.0
    if status == pulp.LpStatusOptimal and not whole:
        proven = float(pulp.value(problem.objective))
    opened = [j for j, variable in enumerate(opens) if (variable.value() or 0.0) > 0.5]
    return proven, np.array(opened, dtype=np.int64)


def _model(distance: Distances, limit: float, whole: bool, neighbours: int) -> tuple[list[Any], Any]:
    import pulp

    problem = pulp.LpProblem("fewest_centres", pulp.LpMinimize)
    n = len(distance)
    opens = [problem.add_variable(f"y{j}", 0, 1, cat="Binary" if whole else "Continuous") for j in range(n)]
    problem.setObjective(pulp.lpSum(opens))
    spent = []
    for i in range(n):
        order = np.argsort(distance[i], kind="stable")
        order = order[order != i].tolist()
        beyond = float(distance[i, order[neighbours]]) if neighbours < len(order) else 1.0
        farther = problem.add_variable(f"z{i}", 0, 1)
        goes = [(j, problem.add_variable(f"x{i}_{j}", 0, 1)) for j in order[:neighbours]]
        problem += opens[i] + farther + pulp.lpSum(share for _, share in goes) == 1
        for j, share in goes:
            problem += share <= opens[j]
        spent += [(share, float(distance[i, j])) for j, share in goes] + [(farther, beyond)]
    problem += pulp.LpAffineExpression(spent) <= limit * n
    return opens, problem
