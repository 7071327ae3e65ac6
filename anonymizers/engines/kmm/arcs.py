"""Which moves an optimal solution may still contain, by their reduced costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from anonymizers.engines.kmm.guests import Guests
from anonymizers.engines.kmm.lagrangian import Prices
from anonymizers.engines.kmm.nearest import Neighbours
from anonymizers.engines.kmm.problem import Floats, Problem
from datasets.tables import Integers


@dataclass(frozen=True, eq=False)
class Arcs:
    """Possible moves (staying is one of cost 0), and what a filler costs on each row that must be opened."""

    incidence: Integers
    row: Integers
    cost: Floats
    filler_cost: dict[int, float]

    def only(self, kept: npt.NDArray[np.bool_]) -> Arcs:
        """Some of them; a row to which none leads any more is not opened."""
        rows = set(self.row[kept].tolist())
        floor = {row: cost for row, cost in self.filler_cost.items() if row in rows}
        return Arcs(self.incidence[kept], self.row[kept], self.cost[kept], floor)


def all_arcs(problem: Problem) -> Arcs:
    """Every incidence to every row; no fillers, for everybody is in the program."""
    incidence = np.repeat(np.arange(problem.size), problem.n_rows)
    row = np.tile(np.arange(problem.n_rows), problem.size)
    cost = problem.distances(incidence, row)
    return Arcs(incidence, row, cost, dict.fromkeys(range(problem.n_rows), np.inf))


def arcs_within(
    problem: Problem, near: Neighbours, guests: Guests, known: Prices, slack: float
) -> tuple[Arcs, Floats]:
    """The moves whose use lifts the bound by no more than the slack, and by how much each lifts it.

    To open row t costs ``opening`` instead of min(0, opening); a person who is not in its cheapest crowd
    takes the most expensive place there. A guest of a safe row costs d − λ.
    """
    opens = np.flatnonzero(np.maximum(known.opening, 0.0) <= slack)
    pieces = []
    for i in opens.tolist():
        distance = np.sqrt(((problem.points[near.rows] - problem.points[near.rows[i]]) ** 2).sum(axis=1))
        offered = distance[near.index[problem.row[guests.live]]]
        extra = np.maximum(offered - known.prices[guests.live] - known.dearest[i], 0.0)
        lift = np.maximum(known.opening[i], 0.0) + extra
        kept = np.flatnonzero(lift <= slack)
        pieces.append((guests.live[kept], np.full(len(kept), near.rows[i]), offered[kept], lift[kept]))
    lift = np.maximum(guests.cost - known.prices[guests.incidence], 0.0)
    kept = np.flatnonzero(lift <= slack)
    pieces.append((guests.incidence[kept], guests.row[kept], guests.cost[kept], lift[kept]))
    incidence, row, cost, lift = (np.concatenate(part) for part in zip(*pieces, strict=True))
    floor = dict(zip(near.rows[opens].tolist(), near.floor[opens].tolist(), strict=True))
    return Arcs(incidence, row, cost, floor), lift
