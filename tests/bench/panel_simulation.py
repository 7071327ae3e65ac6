"""The panels of Appendix B and the paper's own integer program, as peers of k-MM."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pulp

from anonymizers.engines.kmm.panel import panel_problem
from anonymizers.engines.kmm.problem import Problem

B1_SHARES = (0.1, 0.2, 0.3, 0.4)


def simulated_panel(people: int, shares: Sequence[float], seed: int) -> pd.DataFrame:
    """Appendix B.1: 3 to 15 records a person, 1 to 3 draws of the brands, rounded Gamma(1, 2) units."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(people), rng.integers(3, 16, size=people))
    draws = rng.integers(1, 4, size=len(who))
    chosen = np.stack([rng.multinomial(draw, shares) for draw in draws]) > 0
    units = chosen * np.rint(rng.gamma(1.0, 2.0, size=chosen.shape)).astype(int)
    return pd.DataFrame(units, columns=[f"brand{b}" for b in range(len(shares))]).assign(who=who)


def simulated_problem(people: int, shares: Sequence[float], seed: int, k: int) -> Problem:
    table = simulated_panel(people, shares, seed)
    return panel_problem(table, "who", [name for name in table if name != "who"], k).problem


def paper_split(problem: Problem, parts: int, rng: np.random.Generator, seconds: float) -> float:
    """The paper's recipe on HiGHS: rows split at random, each part by (A1)–(A4). Returns the objective."""
    label = rng.permutation(problem.n_rows) * parts // problem.n_rows
    return sum(
        _paper_program(problem, np.flatnonzero(label[problem.row] == part), seconds) for part in range(parts)
    )


def _paper_program(problem: Problem, members: np.ndarray, seconds: float) -> float:
    rows = np.unique(problem.row[members])
    away = np.sqrt(((problem.points[rows][:, None] - problem.points[rows][None]) ** 2).sum(axis=2))
    home = np.searchsorted(rows, problem.row[members])
    program = pulp.LpProblem("kmm", pulp.LpMinimize)
    z = [
        [program.add_variable(f"z{e}_{t}", cat=pulp.LpBinary) for t in range(len(rows))]
        for e in range(len(members))
    ]
    v = [program.add_variable(f"v{t}", cat=pulp.LpBinary) for t in range(len(rows))]
    program += pulp.lpSum(
        float(away[home[e], t]) * z[e][t] for e in range(len(members)) for t in range(len(rows))
    )
    people = problem.person[members]
    for t in range(len(rows)):
        total = pulp.lpSum(z[e][t] for e in range(len(members)))
        program += total <= len(members) * v[t]
        program += total >= problem.k * v[t]
        for person in np.unique(people):
            same = np.flatnonzero(people == person)
            if len(same) > 1:
                program += pulp.lpSum(z[e][t] for e in same) <= 1
    for choices in z:
        program += pulp.lpSum(choices) == 1
    program.solve(pulp.HiGHS(msg=False, threads=1, timeLimit=seconds))
    return float(pulp.value(program.objective))
