"""The moves of the local search: open a row, close a row, send one person elsewhere."""

from __future__ import annotations

import numpy as np
from numba import njit

from anonymizers.engines.kmm.state import State, between, holds, is_full, may_leave, move, nearest_open

SWAP_ROWS = 8
"""Among this many near open rows an incidence looks for somebody to change places with."""


@njit(cache=True)
def close_row(state: State, row: int) -> bool:
    """Send everybody on a row to the nearest open row. False if somebody finds none."""
    e = state.head[row]
    while e >= 0:
        following = state.after[e]
        target, cost = nearest_open(state, e, row)
        if target < 0:
            return False
        move(state, e, target, cost)
        e = following
    return True


@njit(cache=True)
def open_row(state: State, i: int, may_break: bool, slack: float) -> bool:
    """Open the i-th deficient row for all who gain, fill it with those who lose least, repair what broke.

    People come only from the listed neighbours. If ``may_break``, they may leave rows that are not legal
    without them; those rows are closed. False if the row cannot be filled, or if even without regard to
    what may leave or break it would cost more than the slack.
    """
    row = state.rows[i]
    losers, hope = _survey(state, i, may_break)
    if hope >= slack:
        return False
    broken = 0
    for j in range(state.close.shape[1]):
        source, distance = state.close[i, j], state.close_cost[i, j]
        for e in range(state.starts[source], state.starts[source + 1]):
            if state.cost[e] <= distance or state.place[e] == row or holds(state, state.person[e], row):
                continue
            if not may_leave(state, e):
                if not may_break:
                    continue
                state.broken[broken] = state.place[e]
                broken += 1
            move(state, e, row, distance)
    while not is_full(state, row):
        if not _fill_one(state, row, losers):
            return False
    return _mend(state, broken)


@njit(cache=True)
def _survey(state: State, i: int, may_break: bool) -> tuple[int, float]:
    """List who would lose by coming to the i-th deficient row, and the change it could bring at best.

    Only those count who can be spared where they are; with ``may_break`` all who gain count.
    """
    k, n, total, winners = state.k, 0, 0.0, 0
    for j in range(state.close.shape[1]):
        source, distance = state.close[i, j], state.close_cost[i, j]
        for e in range(state.starts[source], state.starts[source + 1]):
            loss = distance - state.cost[e]
            spared = state.crowd[state.place[e]] > k
            if loss < 0.0 and (spared or may_break):
                total += loss
                winners += 1
            elif loss >= 0.0 and spared:
                state.losers[n], state.losses[n] = e, loss
                n += 1
    for j in range(min(state.donors[0], state.safe.shape[1])):
        source, spare = state.safe[i, j], 0
        for e in range(state.starts[source], state.starts[source + 1]):
            if spare == k or state.crowd[source] <= k:
                break
            if state.place[e] == source:
                state.losers[n], state.losses[n] = e, state.safe_cost[i, j]
                n += 1
                spare += 1
    for m in range(k - winners):
        if m >= n:
            return n, np.inf
        _least_to(state, m, n)
        total += state.losses[m]
    return n, total


@njit(cache=True)
def _least_to(state: State, m: int, n: int) -> None:
    """Bring the smallest loss from place m on to place m."""
    at = m
    for o in range(m + 1, n):
        if state.losses[o] < state.losses[at]:
            at = o
    state.losers[m], state.losers[at] = state.losers[at], state.losers[m]
    state.losses[m], state.losses[at] = state.losses[at], state.losses[m]


@njit(cache=True)
def _fill_one(state: State, row: int, losers: int) -> bool:
    """Bring to the row the one person who loses least by it and may leave where they are."""
    crowded = state.crowd[row] >= state.k
    for m in range(losers):
        _least_to(state, m, losers)
        e = state.losers[m]
        if state.losses[m] < np.inf and state.place[e] != row and _useful(state, e, row, crowded):
            price = state.losses[m] + state.cost[e]
            state.losses[m] = np.inf
            move(state, e, row, price)
            return True
    return False


@njit(cache=True)
def _mend(state: State, broken: int) -> bool:
    """Close the rows that lost somebody and are not legal any more."""
    for b in range(broken):
        hurt = state.broken[b]
        if state.crowd[hurt] > 0 and not is_full(state, hurt) and not close_row(state, hurt):
            return False
    return True


@njit(cache=True)
def _useful(state: State, e: int, row: int, crowded: bool) -> bool:
    """Whether an incidence may come: free to leave, not there yet, of a new value if only values lack."""
    if holds(state, state.person[e], row) or not may_leave(state, e):
        return False
    if not crowded:
        return True
    other = state.head[row]
    while other >= 0:
        if state.value[state.person[other]] == state.value[state.person[e]]:
            return False
        other = state.after[other]
    return True


@njit(cache=True)
def shift_one(state: State, e: int) -> bool:
    """Send one incidence to a nearer open row; if its present row cannot spare it, fill that again."""
    row = state.place[e]
    spared = may_leave(state, e)
    i = state.number[row]
    if not spared and i < 0:
        return False
    target, cost = nearest_open(state, e, row)
    if target < 0 or cost >= state.cost[e]:
        return False
    move(state, e, target, cost)
    if spared:
        return True
    losers, _ = _survey(state, i, False)
    while not is_full(state, row):
        if not _fill_one(state, row, losers):
            return False
    return True


@njit(cache=True)
def swap_two(state: State, e: int, slack: float) -> bool:
    """Let an incidence change places with the best one of some near open row."""
    row, p, i = state.place[e], state.person[e], state.number[state.home[e]]
    best, least, price, other_price, looked = -1, slack, 0.0, 0.0, 0
    for j in range(state.close.shape[1]):
        target, cost = state.close[i, j], state.close_cost[i, j]
        if looked == SWAP_ROWS or cost >= 2 * state.cost[e] + least + 4.0 * state.step:
            break
        if target == row or state.crowd[target] == 0 or holds(state, p, target):
            continue
        looked += 1
        f = state.head[target]
        while f >= 0:
            if cost - state.cost[e] - state.cost[f] < least:
                back = between(state, state.home[f], row)
                total = cost - state.cost[e] + back - state.cost[f]
                if total < least and not holds(state, state.person[f], row):
                    best, least, price, other_price = f, total, cost, back
            f = state.after[f]
    if best < 0:
        return False
    target = state.place[best]
    move(state, e, target, price)
    move(state, best, row, other_price)
    return state.l <= 1 or (is_full(state, row) and is_full(state, target))
