"""Many random small panels: `exact` equals brute force, `fast` is always legal and mostly finds the best too.

`make long-kmm` looks at thousands.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

from anonymizers.engines.kmm import fast as fast_module
from anonymizers.engines.kmm.exact import exact
from anonymizers.engines.kmm.fast import fast
from anonymizers.engines.kmm.nearest import neighbours
from anonymizers.engines.kmm.problem import Problem, is_legal, require_solvable
from anonymizers.engines.kmm.regions import improved_by_regions
from anonymizers.engines.kmm.start import first_solution
from anonymizers.release import CannotProtect
from tests import chance
from tests.anonymizers.kmm_oracle import every_movement, least_cost, legal
from tests.bench.panel_simulation import B1_SHARES, simulated_problem

PANELS = 5000 if os.environ.get("KAKURENBO_LONG") else 80


def small_panel(rng: np.random.Generator, diverse: bool) -> Problem:
    """Up to 4 rows, 5 people and 7 incidences."""
    n_rows, n_people = int(rng.integers(2, 5)), int(rng.integers(2, 6))
    size = int(rng.integers(3, 8))
    chosen = np.sort(rng.permutation(n_rows * n_people)[:size])
    rows, row = np.unique(chosen // n_people, return_inverse=True)
    people, person = np.unique(chosen % n_people, return_inverse=True)
    places = rng.permutation(25)[: len(rows)]
    points = np.column_stack([places // 5, places % 5]).astype(float)
    k, level = int(rng.integers(2, 4)), 2 if diverse else 1
    return Problem(points, row, person, k, level, rng.integers(0, 3, size=len(people)))


def test_the_quick_oracle_equals_the_plain_one() -> None:
    rng = np.random.default_rng(1)
    for diverse in (False, True):
        for _ in range(12):
            problem = small_panel(rng, diverse)
            assert every_movement(problem) == pytest.approx(least_cost(problem))


@pytest.mark.parametrize("diverse", [False, True])
def test_exact_equals_brute_force_and_the_search_is_legal(
    diverse: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With TINY at 0 even the smallest panel goes through bound, annealing and regions."""
    rng = chance.generator(2 + diverse)
    gaps, solvable = [], 0
    for number in range(PANELS):
        problem = small_panel(rng, diverse)
        best = every_movement(problem)
        if np.isinf(best):
            with pytest.raises(CannotProtect):
                require_solvable(problem)
            continue
        solvable += 1
        monkeypatch.setattr(fast_module, "TINY", 0)
        quick = fast(problem, np.random.default_rng(number), 0.3)
        monkeypatch.undo()
        proven = exact(problem, np.random.default_rng(number), 60)
        assert legal(problem, quick.target.tolist()) and legal(problem, proven.target.tolist())
        assert quick.bound <= best + 1e-6 and quick.objective >= best - 1e-9
        assert proven.objective == pytest.approx(best) and proven.gap < 1e-6
        gaps.append(quick.objective / best - 1 if best else quick.objective)
    best_found = sum(gap < 1e-9 for gap in gaps)
    print(
        f"the search found the optimum of {best_found} of {solvable} solvable panels, {PANELS} in all; "
        f"mean gap {np.mean(gaps):.3%}"
    )
    # With six seeds 0.32 to 0.54 of them were solvable; the rest was refused as it should be.
    assert solvable >= chance.fewest(PANELS, 0.3, 2)
    # Panels as small as these are given to the integer program otherwise, for the search knows few donors. It
    # finds the optimum of 0.8 of the diverse ones and of nearly all others; mean gaps are too uneven.
    assert best_found >= chance.fewest(solvable, 0.7, 2)


def test_regions_never_lose_and_stay_legal() -> None:
    """From a plain start, where much is to be gained."""
    problem = simulated_problem(60, B1_SHARES, 7, 3)
    near = neighbours(problem, 64, 8)
    begin = first_solution(problem, near)
    found, finished = improved_by_regions(problem, near, begin, np.random.default_rng(1), 6)
    assert finished and is_legal(problem, found)
    assert problem.cost(found) < problem.cost(begin)
    again, _ = improved_by_regions(problem, near, begin, np.random.default_rng(1), 6)
    np.testing.assert_array_equal(found, again)
