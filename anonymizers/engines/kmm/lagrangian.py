"""A lower bound on every solution: prices for the incidences, raised and lowered by subgradient steps.

Pricing out the rows "every incidence goes somewhere" with prices λ leaves, for each row alone, the cheapest
legal crowd at reduced costs d − λ, or nothing:

    bound(λ) = Σ_e λ_e + Σ_deficient rows min(0, cheapest crowd) + Σ_(person, safe row) min(0, d − λ).

It holds for any λ ≥ 0, whatever moves: people of safe rows have the price 0, so they fill a place at the
distance to the nearest safe row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit

from anonymizers.engines.kmm.bound import Crowd, cheapest, crowd_of, gather
from anonymizers.engines.kmm.guests import Guests, guest_part
from anonymizers.engines.kmm.nearest import Neighbours
from anonymizers.engines.kmm.problem import Floats, Problem, pointers
from datasets.tables import Integers

PROVABLE_ROWS = 80_000
"""Up to this many deficient rows the bound is proven over all pairs of rows, which takes their square."""


NEAREST = 24
"""A row offers its people to this many of its nearest neighbours, however far they are."""


@dataclass(frozen=True, eq=False)
class Prices:
    """The best prices found, the bound they prove, and what they say about each deficient row."""

    prices: Floats
    bound: float
    openness: Floats
    """How often the row wanted to open, averaged over the last steps."""
    opening: Floats
    """Reduced cost of the row's cheapest crowd."""
    dearest: Floats
    """Reduced cost of the most expensive place in that crowd, at least 0."""


def lagrangian_bound(problem: Problem, near: Neighbours, guests: Guests, upper: float, steps: int) -> Prices:
    """Raise the bound by subgradient steps on the listed neighbours, then prove it over all rows."""
    crowd = crowd_of(problem.starts(), problem.person, problem.value, problem.k, problem.l, near.floor)
    first = _first_prices(problem, near, guests)
    offers = _offers(problem, near, guests)
    prices, openness = _raised(crowd, offers, guests, first, upper, steps)
    if len(near.rows) > PROVABLE_ROWS:
        nothing = np.zeros(len(near.rows))
        return Prices(prices, _plain_bound(problem, near), openness, nothing, nothing)
    opening, dearest = _all_crowds(crowd, offers, near.rows, problem.points, prices)
    uses = np.zeros(problem.size, dtype=np.int64)
    bound = float(prices.sum() + np.minimum(opening, 0).sum() + guest_part(guests, prices, uses))
    return Prices(prices, max(bound, _plain_bound(problem, near)), openness, opening, dearest)


class Offers(NamedTuple):
    """Rows whose people may come to the i-th deficient row: places ``begins[i]`` to ``begins[i + 1]``."""

    begins: Integers
    source: Integers
    distance: Floats


def _offers(problem: Problem, near: Neighbours, guests: Guests) -> Offers:
    """Every row offers to its nearest neighbours, and to rows that are nearer to it than its safe rows."""
    count, width = near.close.shape
    reach = np.zeros(count)
    np.maximum.at(reach, near.index[problem.row[guests.live]], guests.first[guests.live])
    to, source, distance = (
        near.index[near.close].ravel(),
        np.repeat(near.rows, width),
        near.close_cost.ravel(),
    )
    useful = (distance <= np.repeat(reach, width)) | (np.tile(np.arange(width), count) < NEAREST)
    back = np.tile(np.arange(width), count) < NEAREST
    to = np.concatenate([to[useful], np.repeat(np.arange(count), width)[back]])
    source = np.concatenate([source[useful], near.close.ravel()[back]])
    distance = np.concatenate([distance[useful], near.close_cost.ravel()[back]])
    kept = np.unique(to * problem.n_rows + source, return_index=True)[1]
    return Offers(pointers(to[kept], count), source[kept], distance[kept])


def _first_prices(problem: Problem, near: Neighbours, guests: Guests) -> Floats:
    """Most of what the nearest safe row costs; where there is none, the distance to about k neighbours."""
    far = near.close_cost[:, min(problem.k, near.close.shape[1] - 1)]
    prices = np.zeros(problem.size)
    live = guests.live
    prices[live] = 0.8 * np.minimum(guests.first[live], far[near.index[problem.row[live]]])
    return np.minimum(prices, guests.cap)


def _plain_bound(problem: Problem, near: Neighbours) -> float:
    """Half the sum over deficient rows of what leaving or lifting them costs at least.

    All c people leave, or k − c others come, each over at least the distance to the next row; a move may
    count at both its ends, so the sum is halved.
    """
    people = np.diff(problem.starts())[near.rows]
    step = (
        np.minimum(near.close_cost[:, 1] / (1 + near.loose), near.floor)
        if near.close.shape[1] > 1
        else near.floor
    )
    moves = np.maximum(np.minimum(people, problem.k - people), 0)
    return float((moves * step).sum() / 2) if len(step) and np.isfinite(step).all() else 0.0


@njit(cache=True)
def _raised(
    crowd: Crowd, offers: Offers, guests: Guests, prices: Floats, upper: float, steps: int
) -> tuple[Floats, Floats]:  # fmt: skip
    best_prices, best = prices.copy(), -np.inf
    n_rows = len(offers.begins) - 1
    openness = np.zeros(n_rows)
    uses = np.zeros(len(prices), dtype=np.int64)
    pace, idle = 1.0, 0
    for step in range(steps):
        uses[guests.live] = 0
        value = guest_part(guests, prices, uses)
        for e in guests.live:
            value += prices[e]
        for i in range(n_rows):
            tick = step * n_rows + i
            floor, n = crowd.floor[i], 0
            for o in range(offers.begins[i], offers.begins[i + 1]):
                n = gather(crowd, prices, tick, offers.source[o], offers.distance[o], floor, n)
            cost, taken, _ = cheapest(crowd, tick, floor, n)
            openness[i] *= 0.95
            if cost < 0.0:
                value += cost
                openness[i] += 0.05
                for m in range(taken):
                    uses[crowd.chosen[m]] += 1
        if value > best:
            idle = 0 if value > best + 1e-4 * abs(best) else idle + 1
            best = value
            best_prices[:] = prices
        else:
            idle += 1
        if idle >= 12:
            pace, idle = pace * 0.6, 0
        norm = 0.0
        for e in guests.live:
            norm += (1 - uses[e]) ** 2
        if norm == 0.0 or pace < 1e-3:
            break
        length = pace * max(upper - value, 1e-3 * abs(upper)) / norm
        for e in guests.live:
            prices[e] = min(max(prices[e] + length * (1 - uses[e]), 0.0), guests.cap[e])
    crowd.stamp[:] = -1
    crowd.seen[:] = -1
    return best_prices, openness


@njit(cache=True)
def _all_crowds(
    crowd: Crowd, offers: Offers, rows: Integers, points: Floats, prices: Floats
) -> tuple[Floats, Floats]:
    """Every deficient row's cheapest crowd, drawn from all deficient rows."""
    n_rows, n_dimensions = len(rows), points.shape[1]
    most = np.zeros(n_rows)
    for i in range(n_rows):
        for e in range(crowd.starts[rows[i]], crowd.starts[rows[i] + 1]):
            most[i] = max(most[i], prices[e])
    opening, dearest = np.empty(n_rows), np.empty(n_rows)
    local = points[rows]
    for i in range(n_rows):
        limit = _dearest_offer(crowd, offers, prices, i)
        tick, n = n_rows + i, 0
        for j in range(n_rows):
            reach = (most[j] + limit) ** 2
            square = 0.0
            for d in range(n_dimensions):
                square += (local[i, d] - local[j, d]) ** 2
                if square > reach:
                    break
            if square <= reach:
                n = gather(crowd, prices, tick, rows[j], np.sqrt(square), limit, n)
        opening[i], _, dearest[i] = cheapest(crowd, tick, crowd.floor[i], n)
    return opening, dearest


@njit(cache=True)
def _dearest_offer(crowd: Crowd, offers: Offers, prices: Floats, i: int) -> float:
    """Nobody above this price can be in the cheapest crowd, as the listed rows offer enough below it."""
    n = 0
    for o in range(offers.begins[i], offers.begins[i + 1]):
        n = gather(crowd, prices, i, offers.source[o], offers.distance[o], crowd.floor[i], n)
    cost, _, dearest = cheapest(crowd, i, crowd.floor[i], n)
    return min(crowd.floor[i], dearest + 1e-9) if np.isfinite(cost) else crowd.floor[i]
