"""One-to-one matching against all permutations, and candidate lists against the whole matrix."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from attacks.linkage.assignment import match_all, match_listed
from attacks.linkage.candidates import Candidates, candidates, similarity_matrix
from games.shop.attacks.re_itemset_match import re_itemset_match
from games.shop.linkage.features import item_view
from tests.games.shop.attacks.tables import from_item_sets
from tests.games.shop.attacks.test_re_itemset import jaccard_distance, random_item_sets

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("seed", range(40))
def test_the_match_has_the_least_sum_of_distances_of_all_permutations(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    n_released = int(rng.integers(1, n + 1))
    original, released = random_item_sets(rng, n, 12, 6), random_item_sets(rng, n_released, 12, 6)
    distance = [[jaccard_distance(known, wanted) for known in original] for wanted in released]
    least = min(
        sum(distance[i][j] for i, j in enumerate(rows)) for rows in permutations(range(n), n_released)
    )
    rows = re_itemset_match(from_item_sets(original), from_item_sets(released), RNG).rows.tolist()
    assert len(set(rows)) == n_released
    assert sum(distance[i][j] for i, j in enumerate(rows)) == least


def all_listed(similarity: np.ndarray) -> Candidates:
    n_released, n_original = similarity.shape
    start = np.arange(n_released + 1) * n_original
    return Candidates(start, np.tile(np.arange(n_original), n_released), similarity.ravel())


@pytest.mark.parametrize("seed", range(20))
def test_matching_full_lists_equals_matching_the_matrix(seed: int) -> None:
    similarity = np.random.default_rng(seed).random((7, 9))
    rows = match_listed(all_listed(similarity), 9)
    assert len(set(rows.tolist())) == 7
    expected = match_all(similarity)
    assert similarity[np.arange(7), rows].sum() == pytest.approx(similarity[np.arange(7), expected].sum())


def test_more_released_than_original_rows_leaves_some_without_a_guess() -> None:
    rows = match_all(np.array([[0.5], [0.9]]))
    assert rows.tolist() == [-1, 0]


@pytest.mark.parametrize("rarity", [False, True])
def test_listed_similarities_are_those_of_the_matrix_and_the_best(rarity: bool) -> None:
    rng = np.random.default_rng(3)
    original, released = random_item_sets(rng, 80, 60, 15), random_item_sets(rng, 50, 60, 15)
    view = item_view(from_item_sets(original), from_item_sets(released), rarity=rarity)
    similarity = similarity_matrix(view)
    listed = candidates(view, 5)
    for row in range(50):
        part = slice(listed.start[row], listed.start[row + 1])
        if not released[row]:
            continue
        assert listed.similarity[part] == pytest.approx(similarity[row, listed.rows[part]])
        n_listed = part.stop - part.start
        best = np.sort(similarity[row][similarity[row] > 0])[::-1][:5]
        assert np.sort(listed.similarity[part])[::-1] == pytest.approx(best[:n_listed])
        assert n_listed == len(best)


def test_similarity_matrix_equals_fractions() -> None:
    rng = np.random.default_rng(4)
    original, released = random_item_sets(rng, 20, 10, 5), random_item_sets(rng, 20, 10, 5)
    found = similarity_matrix(item_view(from_item_sets(original), from_item_sets(released)))
    expected = [[float(1 - jaccard_distance(a, b)) for a in original] for b in released]
    assert found == pytest.approx(np.array(expected))
