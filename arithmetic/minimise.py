"""A limited-memory quasi-Newton search for the minimum of a smooth convex function."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arithmetic.products import product

Floats = npt.NDArray[np.float64]
Objective = Callable[[Floats], tuple[float, Floats]]

ENOUGH = 1e-4
"""Share of the decrease that the slope promises which a step must bring."""
FLAT = 0.9
"""Share of the slope that may be left at the end of a step."""
TRIES = 40
NOISE = 1e-12
"""Differences of values below this share of the value are rounding."""


@dataclass(frozen=True, eq=False)
class Minimum:
    x: Floats
    gradient: Floats
    iterations: int


def minimise(
    objective: Objective, start: Floats, *, goal: float = 1e-5, most: int = 200, memory: int = 20
) -> Minimum:
    """Search until no entry of the gradient exceeds ``goal``, for ``most`` iterations at most.

    BFGS in its limited-memory form (Nocedal 1980). Steps satisfy the weak Wolfe conditions, found by
    bracketing; where rounding hides the decrease, the slopes decide (Hager and Zhang 2005).

    >>> found = minimise(lambda x: (float(((x - 3) ** 4).sum()), 4 * (x - 3) ** 3), np.zeros(2), goal=1e-9)
    >>> found.x.round(2).tolist()
    [3.0, 3.0]
    """
    x, (value, gradient) = start, objective(start)
    pairs: deque[tuple[Floats, Floats]] = deque(maxlen=memory)
    for iteration in range(most):
        if float(np.abs(gradient).max(initial=0.0)) <= goal:
            return Minimum(x, gradient, iteration)
        direction = -_bfgs(pairs, gradient)
        if not float(product(direction, gradient)) < 0:
            pairs.clear()
            direction = -gradient
        first = 1.0 if pairs else min(1.0, 1.0 / float(np.abs(gradient).sum()))
        found = _step(objective, x, value, gradient, direction, first)
        if found is None:
            return Minimum(x, gradient, iteration)
        moved, value, changed = found
        pairs.append((moved - x, changed - gradient))
        x, gradient = moved, changed
    return Minimum(x, gradient, most)


def quasi_newton(
    pairs: Sequence[tuple[Floats, Floats]], gradient: Floats, solve: Callable[[Floats], Floats]
) -> Floats:
    """The approximate inverse Hessian times the gradient, by the two-loop recursion.

    ``pairs`` holds earlier steps with the changes of the gradient; ``solve`` applies the inverse Hessian from
    before them.
    """
    direction, shares = gradient.copy(), []
    for step, change in reversed(pairs):
        share = product(step, direction) / product(step, change)
        direction -= share * change
        shares.append(share)
    direction = solve(direction)
    for (step, change), share in zip(pairs, reversed(shares), strict=True):
        direction += (share - product(change, direction) / product(step, change)) * step
    return direction


def _bfgs(pairs: Sequence[tuple[Floats, Floats]], gradient: Floats) -> Floats:
    """The direction where only the size of the inverse Hessian is guessed, from the last step."""
    if not pairs:
        return gradient.copy()
    step, change = pairs[-1]
    size = product(step, change) / product(change, change)
    return quasi_newton(pairs, gradient, lambda direction: direction * size)


def _step(
    objective: Objective, x: Floats, value: float, gradient: Floats, direction: Floats, length: float
) -> tuple[Floats, float, Floats] | None:
    """A point along a direction that is lower and flatter, with its value and gradient; or nothing."""
    slope = float(product(direction, gradient))
    noise = NOISE * abs(value)
    low, high = 0.0, np.inf
    for _ in range(TRIES):
        moved = x + length * direction
        tried, changed = objective(moved)
        left = float(product(direction, changed))
        lower = tried <= value + ENOUGH * length * slope
        same = tried <= value + noise and left <= (2 * ENOUGH - 1) * slope
        if not (lower or same):
            high = length
        elif left < FLAT * slope:
            low = length
        else:
            return moved, tried, changed
        length = 2 * low if high == np.inf else (low + high) / 2
    return None
