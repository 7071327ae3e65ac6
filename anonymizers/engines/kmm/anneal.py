"""Local search: opening, closing and relocating rows, with some tolerance for worse solutions."""

from __future__ import annotations

from numba import njit

from anonymizers.engines.kmm.moves import close_row, open_row, shift_one, swap_two
from anonymizers.engines.kmm.problem import Floats
from anonymizers.engines.kmm.state import State, change, undo
from arithmetic.elementary import log_of
from datasets.tables import Integers


@njit(cache=True)
def open_in_order(state: State, order: Integers) -> float:
    """Open the given deficient rows one by one wherever that pays off; the change of the objective."""
    total = 0.0
    for i in order:
        if state.crowd[state.rows[i]] == 0:
            total += _settle(state, open_row(state, i, False, 0.0), 0.0)
    return total


@njit(cache=True)
def anneal(state: State, picks: Integers, randoms: Floats, hot: float, cold: float) -> float:
    """As many moves as there are rows of random numbers, cooling from hot to cold; the change in all."""
    total = 0.0
    n = len(randoms)
    for step in range(n):
        heat = hot + (cold - hot) * step / n
        drawn = randoms[step]
        slack = -heat * log_of(1.0 - drawn[0])
        i = picks[int(drawn[2] * len(picks))]
        row = state.rows[i]
        if drawn[1] < 0.4:
            e = state.live[int(drawn[2] * len(state.live))]
            if drawn[1] < 0.2:
                total += _settle(state, swap_two(state, e, slack), slack)
            elif state.cost[e] > 0.0:
                total += _settle(state, shift_one(state, e), slack)
            continue
        if state.crowd[row] == 0:
            total += _settle(state, open_row(state, i, drawn[3] < 0.5, slack), slack)
        elif drawn[1] < 0.7:
            total += _settle(state, close_row(state, row), slack)
        else:
            done = close_row(state, row)
            j = int(drawn[3] * drawn[3] * state.close.shape[1])
            other = state.number[state.close[i, j]]
            if done and state.crowd[state.rows[other]] == 0:
                done = open_row(state, other, drawn[4] < 0.5, slack - change(state))
            total += _settle(state, done, slack)
    return total


@njit(cache=True)
def _settle(state: State, done: bool, slack: float) -> float:
    """Keep the moves of the journal if they were possible and cost less than the slack; else undo them."""
    if done:
        cost = change(state)
        if cost < slack or (slack == 0.0 and cost < -1e-12):
            state.journal_size[0] = 0
            return cost
    undo(state)
    return 0.0
