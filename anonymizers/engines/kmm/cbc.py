"""CBC through PuLP: slower than HiGHS, but it solves the same integer programs where HiGHS is absent."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from anonymizers.engines.kmm.problem import Floats
from arithmetic import product

if TYPE_CHECKING:
    import pulp


@dataclass(frozen=True, eq=False)
class Answer:
    """The best values found (None if none were) and the proven lower bound, infinite if there are none."""

    values: Floats | None
    bound: float
    finished: bool
    """False if time, work or an interrupt ended the proof early."""
    interrupted: bool = False


class Rows(Protocol):
    """The part of a program that a solver needs: costs, upper bounds, and the rows between their ends."""

    costs: list[float]
    uppers: list[float]
    lows: list[float]
    highs: list[float]
    begins: list[int]
    columns: list[int]
    factors: list[float]


def solved_by_cbc(rows: Rows, seconds: float, gap: float) -> Answer:
    """Solve a program by the CBC that comes with PuLP.

    CBC hands back no bound through PuLP, so an unfinished run proves nothing: its bound is minus infinity.
    """
    import pulp

    program, variables = _model(rows)
    path = shutil.which("cbc") or pulp.PULP_CBC_CMD.pulp_cbc_path
    solver = pulp.COIN_CMD(path=path, msg=False, threads=1, timeLimit=seconds, gapRel=gap)
    program.solve(solver)
    if program.sol_status == pulp.LpSolutionInfeasible:
        return Answer(None, np.inf, True)
    if program.sol_status not in (pulp.LpSolutionOptimal, pulp.LpSolutionIntegerFeasible):
        return Answer(None, -np.inf, False)
    values = np.array([variable.value() or 0.0 for variable in variables])
    if program.sol_status != pulp.LpSolutionOptimal:
        return Answer(values, -np.inf, False)
    cost = float(product(rows.costs, values))
    # CBC stops within the gap of the best bound, measured on the objective.
    return Answer(values, cost - gap * abs(cost), True)


def _model(rows: Rows) -> tuple[pulp.LpProblem, list[pulp.LpVariable]]:
    import pulp

    program = pulp.LpProblem("kmm", pulp.LpMinimize)
    variables = [
        program.add_variable(f"x{j}", 0, upper, cat=pulp.LpInteger) for j, upper in enumerate(rows.uppers)
    ]
    program += pulp.LpAffineExpression(zip(variables, rows.costs, strict=True))
    for i, (low, high) in enumerate(zip(rows.lows, rows.highs, strict=True)):
        stretch = slice(rows.begins[i], rows.begins[i + 1])
        terms = zip((variables[j] for j in rows.columns[stretch]), rows.factors[stretch], strict=True)
        total = pulp.LpAffineExpression(terms)
        if low == high:
            program += total == low
            continue
        if np.isfinite(low):
            program += total >= low
        if np.isfinite(high):
            program += total <= high
    return program, variables
