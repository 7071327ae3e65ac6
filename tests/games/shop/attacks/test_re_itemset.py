"""re-itemset against a brute-force argmin in exact fractions, and on the real tables of 2016."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from attacks.evaluate import judge
from games.shop.attacks.re_itemset import re_itemset
from games.shop.data.folder import read_original
from tests.games.shop.attacks.tables import from_item_sets, reordered

RNG = np.random.default_rng(0)


def jaccard_distance(left: set[str], right: set[str]) -> Fraction:
    union = left | right
    return 1 - Fraction(len(left & right), len(union)) if union else Fraction(0)


def brute_force(original: list[set[str]], released: list[set[str]]) -> list[list[int]]:
    """All nearest rows of every released row, ascending."""
    answers = []
    for wanted in released:
        distances = [jaccard_distance(known, wanted) for known in original]
        least = min(distances)
        answers.append([row for row, distance in enumerate(distances) if distance == least])
    return answers


def random_item_sets(rng: np.random.Generator, n_sets: int, n_items: int, most: int) -> list[set[str]]:
    return [
        {f"i{int(n_items * rng.random() ** 2)}" for _ in range(rng.integers(0, most + 1))}
        for _ in range(n_sets)
    ]


def assert_equal_to_brute_force(original: list[set[str]], released: list[set[str]]) -> None:
    guess = re_itemset(from_item_sets(original), from_item_sets(released), np.random.default_rng(0))
    expected = brute_force(original, released)
    assert guess.rows.tolist() == [rows[0] for rows in expected]
    assert guess.tie_class is not None
    assert [guess.tie_members[name].tolist() for name in guess.tie_class] == expected


def test_equals_the_brute_force_argmin_with_all_its_ties() -> None:
    for seed in range(240):
        rng = np.random.default_rng(seed)
        n_items = int(rng.choice([3, 8, 30, 200]))
        most = int(rng.choice([2, 6, 25]))
        original = random_item_sets(rng, int(rng.integers(1, 40)), n_items, most)
        released = random_item_sets(rng, int(rng.integers(1, 40)), n_items + 5, most)
        assert_equal_to_brute_force(original, released)


@pytest.mark.parametrize("kept", [0.3, 0.7, 0.95])
def test_equals_the_brute_force_argmin_where_reading_stops_early(kept: float) -> None:
    # Long sets of which the released ones keep a part: bounds, probes and both ways to settle run.
    rng = np.random.default_rng(7)
    original = random_item_sets(rng, 250, 300, 60)
    released = [{item for item in items if rng.random() < kept} for items in original]
    assert_equal_to_brute_force(original, released)


def test_all_people_of_2016_are_found_where_only_names_were_changed(shared_data: Path) -> None:
    # All 400 item sets of the real 2016 data are distinct, so the attack finds 400 of 400.
    original = read_original(shared_data / "pwscup2016")
    truth = RNG.permutation(400)
    released = reordered(original, truth, RNG.permutation(original.transactions.n_rows))
    judged = judge(re_itemset(original, released, RNG), truth, 400)
    assert (judged.hits, judged.expected_hits, judged.rate) == (400, 400.0, 1.0)


def test_order_of_rows_does_not_matter() -> None:
    item_sets = random_item_sets(RNG, 60, 30, 8)
    original, released = from_item_sets(item_sets[:30]), from_item_sets(item_sets[30:])
    plain = re_itemset(original, released, RNG)
    shuffled_t = reordered(original, np.arange(30), RNG.permutation(original.transactions.n_rows))
    order = RNG.permutation(30)
    shuffled = reordered(released, order, RNG.permutation(released.transactions.n_rows))
    again = re_itemset(shuffled_t, shuffled, RNG)
    assert again.rows.tolist() == plain.rows[order].tolist()


def test_people_with_nothing_in_common_share_one_class_of_all_rows() -> None:
    released = [{"x"}, {"y"}, {"z", "x"}]
    guess = re_itemset(from_item_sets([{"a"}, {"b"}]), from_item_sets(released), RNG)
    assert guess.rows.tolist() == [0, 0, 0]
    assert guess.tie_class is not None and len(set(guess.tie_class.tolist())) == 1
    assert [members.tolist() for members in guess.tie_members] == [[0, 1]]


def test_equal_tie_classes_are_stored_once() -> None:
    # Every released set ties with every original one: n × n′ members if each class were stored.
    original = [{"a", f"o{row}"} for row in range(50)]
    released = [{"a", f"r{row}"} for row in range(50)]
    guess = re_itemset(from_item_sets(original), from_item_sets(released), RNG)
    assert [members.tolist() for members in guess.tie_members] == [list(range(50))]
