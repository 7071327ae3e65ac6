"""One row's share of the Lagrangian bound: the cheapest crowd that could open it at given prices."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from anonymizers.engines.kmm.problem import Floats
from datasets.tables import Integers


class Crowd(NamedTuple):
    """What the kernels need to know of the problem, and room to work in.

    ``best[p]`` is the place in ``chosen`` of person p's cheapest incidence at the current row, valid where
    ``stamp[p]`` equals that row's tick.
    """

    starts: Integers
    person: Integers
    value: Integers
    k: int
    l: int  # noqa: E741 - the literature's name of the parameter
    floor: Floats
    stamp: Integers
    best: Integers
    seen: Integers
    chosen: Integers
    price: Floats


def crowd_of(
    starts: Integers, person: Integers, value: Integers, k: int, diversity: int, floor: Floats
) -> Crowd:
    people, values = len(value), int(value.max(initial=0)) + 1
    return Crowd(
        starts, person, value, k, diversity, floor,
        np.full(people, -1, dtype=np.int64), np.zeros(people, dtype=np.int64),
        np.full(values, -1, dtype=np.int64), np.zeros(people, dtype=np.int64), np.zeros(people),
    )  # fmt: skip


@njit(cache=True)
def gather(crowd: Crowd, prices: Floats, tick: int, row: int, distance: float, limit: float, n: int) -> int:
    """Offer the incidences of a row at reduced cost distance − price, if below the limit; one per person."""
    for e in range(crowd.starts[row], crowd.starts[row + 1]):
        reduced = distance - prices[e]
        if reduced >= limit:
            continue
        p = crowd.person[e]
        if crowd.stamp[p] != tick:
            crowd.stamp[p] = tick
            crowd.best[p] = n
            crowd.chosen[n] = e
            crowd.price[n] = reduced
            n += 1
        elif reduced < crowd.price[crowd.best[p]]:
            crowd.chosen[crowd.best[p]] = e
            crowd.price[crowd.best[p]] = reduced
    return n


@njit(cache=True)
def cheapest(crowd: Crowd, tick: int, floor: float, n: int) -> tuple[float, int, float]:
    """The least reduced cost of a legal crowd among the n offered, who is in it, and its costliest place.

    All offers below zero are taken; then the cheapest that bring a missing sensitive value; then the
    cheapest others, until l values and k people are there. Anybody from a safe row fills a place at
    ``floor``. The members are moved to the front of ``chosen``.
    """
    total = 0.0
    m = 0
    missing = crowd.l
    for i in range(n):
        if crowd.price[i] < 0.0:
            total += crowd.price[i]
            _swap(crowd, i, m)
            v = crowd.value[crowd.person[crowd.chosen[m]]]
            if crowd.seen[v] != tick:
                crowd.seen[v] = tick
                missing -= 1
            m += 1
    need = crowd.k - m
    dearest = 0.0
    taken = m
    while (crowd.l > 1 and missing > 0) or need > 0:
        at = -1
        cost = floor
        for i in range(taken, n):
            if crowd.price[i] < cost and (
                missing <= 0 or crowd.l <= 1 or crowd.seen[crowd.value[crowd.person[crowd.chosen[i]]]] != tick
            ):
                at, cost = i, crowd.price[i]
        total += cost
        dearest = max(dearest, cost)
        if at >= 0:
            crowd.seen[crowd.value[crowd.person[crowd.chosen[at]]]] = tick
            _swap(crowd, at, taken)
            taken += 1
        elif missing <= 0 or crowd.l <= 1:
            # Nobody is left below the floor price, so all other places cost the same.
            total += cost * (need - 1)
            break
        missing -= 1
        need -= 1
        if total == np.inf:
            break
    return total, taken, dearest


@njit(cache=True)
def _swap(crowd: Crowd, i: int, j: int) -> None:
    crowd.chosen[i], crowd.chosen[j] = crowd.chosen[j], crowd.chosen[i]
    crowd.price[i], crowd.price[j] = crowd.price[j], crowd.price[i]
