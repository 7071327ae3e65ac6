"""A legal solution that can be changed move by move and undone: the basis of the local search."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from anonymizers.engines.kmm.nearest import Neighbours
from anonymizers.engines.kmm.problem import Floats, Problem, pointers
from anonymizers.engines.kmm.start import costs_of
from datasets.tables import Integers


class State(NamedTuple):
    """Where everybody is, who is on each row (linked lists), and a journal to undo moves."""

    points: Floats
    step: float
    starts: Integers
    home: Integers
    person: Integers
    value: Integers
    k: int
    l: int  # noqa: E741 - the literature's name of the parameter
    number: Integers
    rows: Integers
    close: Integers
    close_cost: Floats
    safe: Integers
    safe_cost: Floats
    by_person: Integers
    begins: Integers
    live: Integers
    place: Integers
    cost: Floats
    crowd: Integers
    head: Integers
    after: Integers
    before: Integers
    journal: Integers
    old_place: Integers
    old_cost: Floats
    journal_size: Integers
    broken: Integers
    losers: Integers
    losses: Floats
    donors: Integers
    """From this many of the nearest safe rows people may come to lift a row."""


def state_of(problem: Problem, near: Neighbours, live: Integers, target: Integers) -> State:
    """Set up the state of a solution."""
    by_person = np.argsort(problem.person, kind="stable")
    room = 4 * problem.size + 64
    state = State(
        problem.points, typical_step(near), problem.starts(), problem.row, problem.person, problem.value,
        problem.k, problem.l,
        near.index, near.rows, near.close, near.close_cost, near.safe, near.safe_cost,
        by_person, pointers(problem.person[by_person], problem.n_people), live,
        target.copy(), costs_of(problem, target), np.zeros(problem.n_rows, dtype=np.int64),
        np.full(problem.n_rows, -1, dtype=np.int64), np.full(problem.size, -1, dtype=np.int64),
        np.full(problem.size, -1, dtype=np.int64), np.empty(room, dtype=np.int64),
        np.empty(room, dtype=np.int64), np.empty(room), np.zeros(1, dtype=np.int64),
        np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64), np.empty(room),
        np.zeros(1, dtype=np.int64),
    )  # fmt: skip
    _link_all(state)
    return state


def typical_step(near: Neighbours) -> float:
    """The median distance from a deficient row to the next one: the unit of temperatures."""
    return float(np.median(near.close_cost[:, min(1, near.close.shape[1] - 1)])) or 1.0


@njit(cache=True)
def between(state: State, one: int, other: int) -> float:
    """The distance of two rows."""
    square = 0.0
    for d in range(state.points.shape[1]):
        square += (state.points[one, d] - state.points[other, d]) ** 2
    return np.sqrt(square)


@njit(cache=True)
def _link_all(state: State) -> None:
    for e in range(len(state.place)):
        _link(state, e, state.place[e])


@njit(cache=True)
def _link(state: State, e: int, row: int) -> None:
    first = state.head[row]
    state.after[e], state.before[e] = first, -1
    if first >= 0:
        state.before[first] = e
    state.head[row] = e
    state.place[e] = row
    state.crowd[row] += 1


@njit(cache=True)
def _unlink(state: State, e: int) -> None:
    row, following, leading = state.place[e], state.after[e], state.before[e]
    if leading >= 0:
        state.after[leading] = following
    else:
        state.head[row] = following
    if following >= 0:
        state.before[following] = leading
    state.crowd[row] -= 1


@njit(cache=True)
def move(state: State, e: int, row: int, cost: float) -> None:
    """Move an incidence and note in the journal where it was."""
    n = state.journal_size[0]
    state.journal[n], state.old_place[n], state.old_cost[n] = e, state.place[e], state.cost[e]
    state.journal_size[0] = n + 1
    _unlink(state, e)
    _link(state, e, row)
    state.cost[e] = cost


@njit(cache=True)
def undo(state: State) -> None:
    """Take back all moves of the journal."""
    for n in range(state.journal_size[0] - 1, -1, -1):
        e = state.journal[n]
        _unlink(state, e)
        _link(state, e, state.old_place[n])
        state.cost[e] = state.old_cost[n]
    state.journal_size[0] = 0


@njit(cache=True)
def change(state: State) -> float:
    """What the moves of the journal cost in all."""
    total = 0.0
    for n in range(state.journal_size[0]):
        e = state.journal[n]
        seen = False
        for earlier in range(n - 1, -1, -1):
            if state.journal[earlier] == e:
                seen = True
                break
        if not seen:
            total += state.cost[e] - state.old_cost[n]
    return total


@njit(cache=True)
def holds(state: State, p: int, row: int) -> bool:
    """Whether a person is already on a row."""
    for o in range(state.begins[p], state.begins[p + 1]):  # noqa: SIM110 - generators are slow in kernels
        if state.place[state.by_person[o]] == row:
            return True
    return False


@njit(cache=True)
def values_on(state: State, row: int, without: int) -> int:
    """How many different sensitive values are on a row, one incidence left out; counted only up to l."""
    found = 0
    e = state.head[row]
    while e >= 0 and found < state.l:
        if e != without:
            v = state.value[state.person[e]]
            other, new = state.head[row], True
            while other != e:
                if other != without and state.value[state.person[other]] == v:
                    new = False
                    break
                other = state.after[other]
            found += new
        e = state.after[e]
    return found


@njit(cache=True)
def is_full(state: State, row: int) -> bool:
    """Whether a row holds enough people and values."""
    return state.crowd[row] >= state.k and (state.l <= 1 or values_on(state, row, -1) >= state.l)


@njit(cache=True)
def may_leave(state: State, e: int) -> bool:
    """Whether a row stays legal when an incidence leaves it."""
    row = state.place[e]
    if state.crowd[row] <= state.k:
        return False
    return state.l <= 1 or values_on(state, row, e) >= state.l


@njit(cache=True)
def nearest_open(state: State, e: int, avoid: int) -> tuple[int, float]:
    """The nearest listed row that is open and free for the incidence's person; −1 if none is."""
    i = state.number[state.home[e]]
    p = state.person[e]
    if i < 0:
        home = state.home[e]
        if home != avoid and state.crowd[home] > 0 and not holds(state, p, home):
            return home, 0.0
        return -1, np.inf
    a, b = 0, 0
    while a < state.close.shape[1] or b < state.safe.shape[1]:
        if b >= state.safe.shape[1] or (
            a < state.close.shape[1] and state.close_cost[i, a] <= state.safe_cost[i, b]
        ):
            row, cost = state.close[i, a], state.close_cost[i, a]
            a += 1
        else:
            row, cost = state.safe[i, b], state.safe_cost[i, b]
            b += 1
        if row != avoid and state.crowd[row] > 0 and not holds(state, p, row):
            return row, cost
    return -1, np.inf
