"""Views and numbers on tables that a person can check by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from attacks.linkage import feature_sets
from attacks.linkage.candidates import similarity_matrix
from attacks.linkage.nearest import nearest
from attacks.linkage.numeric_nearest import nearest_numbers, nearest_points
from games.shop.linkage.evidence import pair_similarity
from games.shop.linkage.features import (
    day_view,
    item_view,
    master_view,
    price_view,
    quantity_view,
    receipt_view,
)
from games.shop.linkage.numbers import rfm, totals
from tests.games.shop.attacks.tables import dataset, from_item_sets, random_customers
from tests.games.shop.attacks.test_re_itemset import random_item_sets

PEOPLE = [("c1", "f", "1970/1/2", "UK"), ("c2", "m", "1970/1/9", "UK")]
SHOP = dataset(
    PEOPLE,
    [
        ("c1", "r1", "2011/1/1", "9:00", "tea", "2.5", 2),
        ("c1", "r1", "2011/1/1", "9:00", "pie", "1", 1),
        ("c1", "r2", "2011/1/5", "9:30", "tea", "2.5", 2),
        ("c2", "r3", "2011/1/5", "8:00", "tea", "3", 4),
    ],
)


def test_views_of_a_table_with_itself_are_all_alike_on_the_diagonal() -> None:
    for view in (item_view, quantity_view, price_view, day_view, receipt_view, master_view):
        assert similarity_matrix(view(SHOP, SHOP)).diagonal() == pytest.approx([1, 1])


def test_copies_count_in_multisets() -> None:
    # c1 holds (tea, 2) twice and (pie, 1): three tokens; c2 holds (tea, 4).
    view = quantity_view(SHOP, SHOP)
    assert np.diff(view.original.start).tolist() == [3, 1]


def test_days_are_counted_by_receipt() -> None:
    assert np.diff(day_view(SHOP, SHOP).original.start).tolist() == [2, 1]


def test_master_tokens_shared_by_two_people() -> None:
    # The two share country, year and month; gender and birthday differ.
    view = master_view(SHOP, SHOP)
    left, right = (set(view.original.tokens[a:b].tolist()) for a, b in ((0, 5), (5, 10)))
    assert len(left & right) == 3


@pytest.mark.parametrize("per_row", [0, 10**9], ids=["by sorting", "by a table"])
def test_tuples_are_numbered_in_ascending_order(monkeypatch: pytest.MonkeyPatch, per_row: int) -> None:
    """However many keys are possible; the oracle is Python's own sort."""
    monkeypatch.setattr(feature_sets, "LOOKUP_PER_ROW", per_row)
    rng = np.random.default_rng(3)
    for most, rows in itertools.product((2, 50, 3000), (0, 1, 40)):
        sides = [tuple(rng.integers(-most, most, size=(2, rows))) for _ in range(2)]
        left, right, n = feature_sets.shared_codes(*sides)
        tuples = [list(zip(*(column.tolist() for column in side), strict=True)) for side in sides]
        number = {key: place for place, key in enumerate(sorted({*tuples[0], *tuples[1]}))}
        assert n == len(number)
        assert [left.tolist(), right.tolist()] == [[number[key] for key in side] for side in tuples]


def test_totals_and_rfm() -> None:
    # c1: 2 · 2.50 + 1 + 2 · 2.50 = 11.00 in hundredths; c2: 12.00. Both bought last one day before the end.
    assert totals(SHOP).tolist() == [1100, 1200]
    after = int(SHOP.transactions.day.max()) + 1
    assert np.expm1(rfm(SHOP, after)) == pytest.approx(np.array([[1, 2, 1100], [1, 1, 1200]]))


def test_nearest_numbers_with_ties_on_both_sides() -> None:
    guess = nearest_numbers(np.array([10, 20, 20, 40]), np.array([15, 21, 100, 0]))
    assert guess.rows.tolist() == [0, 1, 3, 0]
    assert guess.tie_class is not None
    members = [guess.tie_members[name].tolist() for name in guess.tie_class]
    assert members == [[0, 1, 2], [1, 2], [3], [0]]


@pytest.mark.parametrize("seed", range(20))
def test_nearest_numbers_equal_a_brute_force_search(seed: int) -> None:
    rng = np.random.default_rng(seed)
    original, released = rng.integers(0, 30, 12), rng.integers(0, 30, 9)
    guess = nearest_numbers(original, released)
    distance = np.abs(original[None, :] - released[:, None])
    assert guess.rows.tolist() == distance.argmin(axis=1).tolist()
    assert guess.tie_class is not None
    for row, name in enumerate(guess.tie_class):
        expected = np.flatnonzero(distance[row] == distance[row].min())
        assert guess.tie_members[name].tolist() == expected.tolist()


def test_nearest_points_take_the_smallest_row_of_equal_points() -> None:
    guess = nearest_points(np.array([[5.0], [1.0], [1.0]]), np.array([[1.2], [3.0]]))
    assert guess.rows.tolist() == [1, 0]


def test_nearest_by_rarity_equals_the_argmax_of_the_matrix() -> None:
    rng = np.random.default_rng(5)
    original, released = random_item_sets(rng, 120, 80, 20), random_item_sets(rng, 120, 80, 20)
    view = item_view(from_item_sets(original), from_item_sets(released), rarity=True)
    similarity = similarity_matrix(view)
    rows = nearest(view).rows
    best = similarity.max(axis=1)
    # Two fractions may be one rounding apart as floats, so the choice is compared by value.
    assert similarity[np.arange(120), rows] == pytest.approx(best, abs=1e-12)


def test_similarities_of_pairs_equal_those_of_the_matrix() -> None:
    original, released = (random_customers(np.random.default_rng(seed), 20) for seed in (1, 2))
    left, right = (place.ravel() for place in np.indices((20, 20)))
    for view in (item_view, quantity_view, receipt_view):
        made = view(original, released)
        expected = similarity_matrix(made).ravel()
        assert pair_similarity(made, left, right) == pytest.approx(expected)
