"""The relaxation and its cuts: they never pass the optimum, and every legal solution keeps them."""

from __future__ import annotations

import itertools
import time
from functools import cache

import numpy as np
import pytest

from anonymizers.engines.kmm import exact as exact_module
from anonymizers.engines.kmm import relaxation
from anonymizers.engines.kmm.arcs import all_arcs
from anonymizers.engines.kmm.cuts import Cut, Fraction, violated
from anonymizers.engines.kmm.exact import exact
from anonymizers.engines.kmm.integer_program import Program
from anonymizers.engines.kmm.movement_program import program_of, realised
from anonymizers.engines.kmm.problem import Problem, Solution, is_legal
from anonymizers.engines.kmm.relaxation import Tightened, tightened
from datasets.tables import Integers
from tests.anonymizers.kmm_oracle import legal
from tests.bench.panel_simulation import B1_SHARES, simulated_problem

NOTHING = Tightened(-np.inf, np.zeros(0))


def tight(problem: Problem, goal: float) -> Tightened:
    return tightened(problem, all_arcs(problem), NOTHING, goal, time.monotonic() + 60)


@cache
def proven() -> tuple[Problem, Solution]:
    """A panel and its optimum."""
    problem = simulated_problem(100, B1_SHARES, 4, 3)
    return problem, exact(problem, np.random.default_rng(1), 120)


def panel(rng: np.random.Generator, diverse: bool) -> Problem:
    """Three rows with three people each, k = 5: one row at most can be open."""
    people = np.arange(9)
    return Problem(rng.random((3, 2)), people // 3, people, 5, 1 + diverse, rng.permutation(people % 3))


def movements(problem: Problem) -> Integers:
    """Every legal way to move."""
    every = np.array(list(itertools.product(range(problem.n_rows), repeat=problem.size)))
    return np.array([target for target in every if legal(problem, target.tolist())])


def keeps(targets: Integers, cut: Cut) -> bool:
    """The inequality, counted: people from outside ≥ factor · (open rows − full)."""
    here = targets[:, :, None] == cut.rows
    outside = np.delete(here, cut.inside, axis=1).sum(axis=(1, 2))
    return bool((outside >= cut.factor * (here.any(axis=1).sum(axis=1) - cut.full)).all())


def test_two_rows_with_eight_people_cannot_both_be_open_by_halves_where_seven_must_meet() -> None:
    """Rows with 4 people each, k = 7: without cuts both are open by 4/7 for 24/7; in truth all meet for 4."""
    points = np.array([[0.0], [1.0]])
    people = np.arange(8)
    problem = Problem(points, people // 4, people, 7, 1, np.zeros(8, dtype=np.int64))
    halves = Fraction(
        np.concatenate([people, people]), np.repeat([0, 1], 8),
        np.where(np.repeat([0, 1], 8) == np.tile(people // 4, 2), 4 / 7, 3 / 7),
        np.full(2, 4 / 7), np.zeros(2),
    )  # fmt: skip
    (cut,) = violated(halves, 7)
    assert (cut.factor, cut.full, cut.inside.tolist()) == (6, 1, people.tolist())
    assert tight(problem, np.inf).bound == pytest.approx(4.0)


@pytest.mark.parametrize("diverse", [False, True])
def test_bound_and_lifts_hold_on_small_panels_and_legal_solutions_keep_every_cut(diverse: bool) -> None:
    rng = np.random.default_rng(5 + diverse)
    cuts = 0
    for _ in range(12):
        problem = panel(rng, diverse)
        targets = movements(problem)
        costs = np.array([problem.cost(target) for target in targets])
        found = tight(problem, costs.min())
        assert found.bound <= costs.min() + 1e-6
        assert exact(problem, np.random.default_rng(1), 60).objective == pytest.approx(costs.min())
        cuts += len(found.cuts)
        assert all(keeps(targets, cut) for cut in found.cuts)
        arcs = all_arcs(problem)
        used = targets[:, arcs.incidence] == arcs.row
        assert (costs >= found.bound + (used * found.lift).max(axis=1) - 1e-6).all()
    assert cuts > 6


def test_cuts_close_much_of_what_the_plain_relaxation_leaves_open(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = simulated_problem(30, B1_SHARES, 4, 4)
    best = exact(problem, np.random.default_rng(1), 120).objective
    lifted = tight(problem, best).bound
    monkeypatch.setattr(relaxation, "ROUNDS", 1)
    plain = tight(problem, best).bound
    assert plain < lifted <= best + 1e-6
    assert lifted - plain > 0.3 * (best - plain)


def test_the_optimum_is_the_same_without_cuts(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, found = proven()
    assert found.gap < 1e-9 and is_legal(problem, found.target)
    monkeypatch.setattr(exact_module, "has_highs", lambda: False)
    without = exact(problem, np.random.default_rng(1), 120)
    assert without.gap < 1e-9 and without.objective == pytest.approx(found.objective)


def test_an_interrupt_of_the_relaxation_keeps_the_best_solution(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_parts: object) -> bool:
        return True

    monkeypatch.setattr(relaxation, "run", stopped)
    problem = simulated_problem(100, B1_SHARES, 4, 3)
    found = exact(problem, np.random.default_rng(1), 120)
    assert not found.finished and is_legal(problem, found.target)
    assert 0 < found.bound <= found.objective


def test_moves_that_are_not_declared_whole_come_out_whole() -> None:
    """Any optimal face has whole vertices; a solver may answer from its middle."""
    problem = panel(np.random.default_rng(1), False)
    arcs = all_arcs(problem)
    program, fillers = program_of(problem, arcs)
    assert not all(program.wholes)
    answer = program.solve(None, 60, 1e-4)
    assert answer.values is not None
    np.testing.assert_allclose(answer.values, np.round(answer.values), atol=1e-5)
    target = realised(problem, arcs, fillers, answer.values)
    assert target is not None and problem.cost(target) == pytest.approx(
        float(np.dot(program.costs, np.round(answer.values)))
    )


def test_a_solution_between_two_vertices_is_brought_to_one() -> None:
    import highspy

    program = Program()
    opened = program.variable(1.0)
    parts = [program.variable(2.0, whole=False) for _ in range(2)]
    program.constrain([(part, 1.0) for part in parts], 1, 1)
    values = program._at_vertex(highspy, np.array([1.0, 0.5, 0.5]))
    assert values[opened] == 1 and sorted(values[parts].tolist()) == [0, 1]


def test_a_gap_that_is_asked_for_is_proven_and_no_more() -> None:
    problem, best = proven()
    found = exact(problem, np.random.default_rng(1), 120, 0.01)
    assert 0 < found.gap <= 0.01 + 1e-9
    assert found.bound <= best.objective + 1e-6 <= found.objective + 2e-6


def test_a_problem_with_too_many_moves_says_that_it_is_unfinished(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact_module, "LARGE", 1000)
    problem = simulated_problem(100, B1_SHARES, 4, 3)
    found = exact(problem, np.random.default_rng(1), 120)
    assert not found.finished and is_legal(problem, found.target)
    assert 0 < found.bound < found.objective
