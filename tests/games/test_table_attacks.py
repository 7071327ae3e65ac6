"""Attacks on the rows of a table, against trying everything, and against SciPy where it has the same."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

from games.seek.distances import gower
from games.tables.attacks import (
    NOBODY,
    assigned,
    controlled,
    densities,
    linked,
    nearest_in_blocks,
    nearest_record,
    rows_of,
    same_neighbour,
    wilson,
)

SEEDS = range(8)


def drawn(seed: int, *sizes: int) -> list[dict[str, np.ndarray]]:
    """Tables with few distinct values, so that many distances are equal."""
    rng = np.random.default_rng(seed)
    return [
        {
            "a": rng.integers(0, 5, n).astype(float),
            "b": rng.integers(0, 3, n).astype(float),
            "c": np.array(["x", "y", "z"], dtype=object)[rng.integers(0, 3, n)],
        }
        for n in sizes
    ]


def compared(tables: list[dict[str, np.ndarray]], *names: str) -> Any:
    return rows_of(tables, names or ("a", "b", "c"), {"c"} & set(names or ("c",)))


def distance(tables: list[dict[str, np.ndarray]], i: int, j: int) -> float:
    """Gower's distance between point i and row j, written out."""
    points, rows = tables[:2]
    total = 0.0
    for name in ("a", "b"):
        together = np.concatenate([table[name] for table in tables])
        total += abs(points[name][i] - rows[name][j]) / (together.max() - together.min())
    return (total + (points["c"][i] != rows["c"][j])) / 3


@pytest.mark.parametrize("seed", SEEDS)
def test_the_nearest_record_is_the_first_of_the_nearest(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = drawn(seed, 12, 20)
    found = nearest_record(*compared(tables))
    for i in range(12):
        every = [round(distance(tables, i, j), 12) for j in range(20)]
        assert found.row[i] == every.index(min(every))
        assert found.distance[i] == pytest.approx(min(every), abs=1e-12)
    monkeypatch.setattr("games.tables.attacks.CELLS", 40)
    assert nearest_record(*compared(tables)).row.tolist() == found.row.tolist()


@pytest.mark.parametrize("seed", SEEDS)
def test_in_blocks_only_rows_of_the_block_count(seed: int) -> None:
    tables = drawn(seed, 15, 9)
    points, rows = compared(tables, "a", "b")
    found = nearest_in_blocks(points, rows, tables[0]["c"], tables[1]["c"])
    every = gower(points, rows)
    for i in range(15):
        same = np.flatnonzero(tables[1]["c"] == tables[0]["c"][i])
        if len(same):
            assert found.row[i] == same[np.argmin(every[i, same])]
        else:
            assert (found.row[i], found.distance[i]) == (NOBODY, np.inf)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("n_rows", [6, 7])
def test_the_assignment_is_the_best_of_all(seed: int, n_rows: int) -> None:
    tables = drawn(seed, 6, n_rows)
    points, rows = compared(tables)
    every = gower(points, rows)
    found = assigned(points, rows)
    assert len(set(found.tolist())) == 6
    best = min(sum(every[i, j] for i, j in enumerate(chosen)) for chosen in permutations(range(n_rows), 6))
    assert sum(every[i, j] for i, j in enumerate(found)) == pytest.approx(best, abs=1e-7)


def test_with_fewer_rows_than_people_somebody_gets_none() -> None:
    tables = drawn(1, 5, 3)
    points, rows = compared(tables)
    found = assigned(points, rows).tolist()
    assert sorted(found) == [NOBODY, NOBODY, 0, 1, 2]
    every = gower(points, rows)
    expected = [np.inf if row == NOBODY else every[point, row] for point, row in enumerate(found)]
    assert (linked(points, rows).row.tolist(), linked(points, rows).distance.tolist()) == (found, expected)


def test_an_assignment_finds_everybody_in_a_table_that_was_only_shuffled() -> None:
    rng = np.random.default_rng(2)
    table = {"a": rng.random(40), "b": rng.random(40)}
    order = rng.permutation(40)
    shuffled = {name: cells[order] for name, cells in table.items()}
    points, rows = rows_of([table, shuffled], ["a", "b"], ())
    assert order[assigned(points, rows)].tolist() == list(range(40))
    assert order[nearest_record(points, rows).row].tolist() == list(range(40))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("k", [1, 3])
def test_two_sides_are_linked_where_they_share_a_neighbour(seed: int, k: int) -> None:
    tables = drawn(seed, 10, 14)
    left, right = (tuple(compared(tables, *names)) for names in (("a",), ("b", "c")))
    found = same_neighbour(left, right, k)
    for i in range(10):
        sets = [
            set(sorted(range(14), key=lambda j, side=side: (gower(*side)[i, j], j))[:k])
            for side in (left, right)
        ]
        assert found[i] == bool(sets[0] & sets[1])


@pytest.mark.parametrize(("hits", "n"), [(0, 10), (3, 10), (10, 10), (50, 2000)])
def test_shares_have_the_interval_of_wilson(hits: int, n: int) -> None:
    middle, half = wilson(hits, n)
    expected = binomtest(hits, n).proportion_ci(method="wilson")
    assert (middle - half, middle + half) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_an_attack_that_is_as_good_on_the_control_finds_nothing() -> None:
    assert controlled(30, 100, 30, 100).risk == 0
    assert controlled(20, 100, 30, 100).risk == 0
    sure = controlled(1000, 1000, 0, 1000)
    assert sure.risk > 0.99 and sure.interval[0] > 0.99 and sure.interval[1] == 1


def test_a_linkage_attack_with_control_sees_an_unchanged_table_and_not_another_sample() -> None:
    """Everybody of the release is found at once; of people who are not in it nobody is."""
    rng = np.random.default_rng(3)
    inside, outside = ({"a": rng.random(200), "b": rng.random(200)} for _ in range(2))
    tables = [inside, outside, inside]
    sides = [rows_of(tables, [name], ()) for name in ("a", "b")]
    hits = [int(same_neighbour(*((side[place], side[2]) for side in sides)).sum()) for place in (0, 1)]
    assert hits[0] == 200
    found = controlled(hits[0], 200, hits[1], 200)
    assert found.risk > 0.95 and found.control < 0.1


def test_a_release_is_denser_around_those_who_are_in_it() -> None:
    rng = np.random.default_rng(4)
    people = {"a": rng.random(300), "b": rng.random(300)}
    released = {name: np.repeat(cells[:30], 6) for name, cells in people.items()}
    points, rows, population = rows_of([people, released, people], ["a", "b"], ())
    found = densities(points, rows, population)
    assert found[:30].min() > np.sort(found[30:])[-5]
