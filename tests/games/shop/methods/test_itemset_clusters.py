"""`itemset-clusters` on the contest's data: clusters, limits, and what attacks can see."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from attacks.evaluate import judge
from games.shop.attacks.registry import ATTACKS, run_attack
from games.shop.data.itemsets import itemset_matrix
from games.shop.data.tables import PurchaseData, Release
from games.shop.engines.itemset_clusters.exchange import horizontal_moves
from games.shop.engines.itemset_clusters.rebuild import rebuilt
from games.shop.engines.itemset_clusters.spending import hold_subset, spending, worst_set
from games.shop.measures.registry import measure
from games.shop.methods.registry import run_anonymizer
from games.shop.presets import PWSCUP2016
from scoring.rules import evaluate
from scoring.run import measure_release
from tests import chance

LIMITS = {limit.measure: limit.limit for limit in PWSCUP2016}
LEARNING = {"re-ensemble", "re-logit", "re-refit"}
"""Attacks that learn from entries: too slow for every test run."""


def quick(real: PurchaseData, **parameters: object) -> Release:
    done = run_anonymizer("itemset-clusters", real, LIMITS, 1, {"effort": 0.1, **parameters})
    return done.release


def assert_within_limits(real: PurchaseData, release: Release) -> None:
    results = measure_release(real, release, [measure(limit.measure) for limit in PWSCUP2016])
    verdict = evaluate(results, PWSCUP2016)
    assert verdict.valid, verdict.because


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_at_most_68_clusters_within_all_limits(real: PurchaseData, seed: int) -> None:
    """The published winner had 89 clusters at 0.699 (Nakagawa), 73 is the least with customers' item sets as
    centres. A third of the usual effort is enough for 68; the benchmark shows the usual one. With 14 seeds it
    was 65 or 66, and the attack found as many."""
    done = run_anonymizer("itemset-clusters", real, LIMITS, seed, {"effort": 0.3})
    assert done.report["clusters"] <= 68
    assert_within_limits(real, done.release)
    guess = run_attack("re-itemset", real, done.release.data, 1)
    assert judge(guess, done.release.truth, 400).hits <= 68


def test_no_attack_finds_more_than_one_a_cluster_but_by_luck(real: PurchaseData) -> None:
    """89 people were re-identified in the published winner's entry (Nakagawa); here 66 clusters allow 66.

    Within a cluster everybody may be anybody, so that one guess each hits once a cluster on average, and all
    together like a Poisson variable. False alarm 1e-6 over all attacks: 114 hits are allowed. Three entries
    saw 74 at most; where totals still tell, 350 are found (the next test).
    """
    done = run_anonymizer("itemset-clusters", real, LIMITS, chance.seed(1), {"effort": 0.1})
    assert_within_limits(real, done.release)
    attacks = [attack for attack in ATTACKS if attack.name not in LEARNING]
    allowed = stats.poisson.isf(chance.FALSE_ALARM / len(attacks), done.report["clusters"])
    for attack in attacks:
        guess = run_attack(attack.name, real, done.release.data, 1)
        assert judge(guess, done.release.truth, 400).hits <= allowed, attack.name


def test_without_steps_1_and_2_item_sets_are_hidden_but_totals_tell(real: PurchaseData) -> None:
    release = quick(real, randomise=False)
    total = {
        name: np.bincount(data.transactions.customer, data.transactions.amount, minlength=400)
        for name, data in (("before", real), ("after", release.data))
    }
    nearest = np.abs(total["after"][:, None] - total["before"][None, :]).argmin(axis=1)
    # 357, 356 and 362 of 400 with three seeds; one a cluster, 66, if totals told nothing.
    assert (nearest == release.truth).sum() > 200


def test_truth_is_true_judged_by_distance(real: PurchaseData) -> None:
    """P says which item set each row stands for: under P the mean distance is the promised one, under any
    other assignment drawn at random it is nearly 1."""
    release = quick(real)
    labels = real.transactions.item.labels
    before, after = (itemset_matrix(data, labels).toarray() for data in (real, release.data))

    def mean_distance(truth: np.ndarray) -> float:
        common = (before[truth] * after).sum(axis=1)
        return float((1 - common / (before[truth].sum(axis=1) + after.sum(axis=1) - common)).mean())

    assert 0.69 < mean_distance(release.truth) <= 0.7
    assert mean_distance(np.random.default_rng(1).permutation(400)) > 0.9


def test_a_member_of_a_cluster_is_as_likely_to_take_any_place() -> None:
    """In 6,000 draws each of the 16 places of a cluster of 4 is expected 1,500 times, deviation 34; twenty
    counts, false alarm 1e-6. A place that is taken 30 % of the time instead of 25 % would be nine deviations
    away."""
    rng = chance.generator(5)
    cluster = np.array([0, 0, 0, 0, 1, 1, 2])
    taken = np.zeros((7, 7))
    for _ in range(6000):
        taken[np.arange(7), horizontal_moves(cluster, rng)] += 1
    assert np.abs(taken[:4, :4] - 1500).max() < chance.errors_allowed(20) * 34
    assert np.abs(taken[4:6, 4:6] - 3000).max() < chance.errors_allowed(20) * 39
    assert taken[6, 6] == 6000


def test_half_of_the_pairs_are_swapped_and_larger_clusters_keep_one_in_place() -> None:
    cluster = np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5, 5, 5, 5, 5])
    moves = horizontal_moves(cluster, np.random.default_rng(2))
    stays = moves == np.arange(16)
    assert stays[:8].sum() == 4 and stays[8:11].sum() == 1 and stays[11:].sum() == 1
    assert (cluster[moves] == cluster).all()


@pytest.mark.parametrize("limit", [3000.0, 500.0])
def test_a_tight_limit_on_subset_is_kept_by_putting_people_back(real: PurchaseData, limit: float) -> None:
    parameters = {"effort": 0.1}
    done = run_anonymizer("itemset-clusters", real, {"ut-jaccard": 0.7, "subset": limit}, 1, parameters)
    assert done.report["put_back_for_subset"] > 0
    release = done.release
    assert measure("subset").function(real, release.data, release.truth).value <= limit


def test_hold_subset_stays_inside_clusters_and_keeps_a_permutation(real: PurchaseData) -> None:
    cluster = np.arange(400) % 40
    drawn = horizontal_moves(cluster, np.random.default_rng(1))
    moves = hold_subset(spending(real, real.transactions), drawn, 800.0)
    assert sorted(moves.tolist()) == list(range(400)) and (cluster[moves] == cluster).all()
    assert (moves != drawn).any()


def test_the_worst_set_is_what_the_measure_subset_finds(real: PurchaseData) -> None:
    release = run_anonymizer("noise", real, {}, 3, {}).release
    rows = release.data.transactions
    in_order = replace(rows, customer=release.truth[rows.customer].astype(np.int32))
    error = spending(real, in_order) - spending(real, real.transactions)
    expected = measure("subset").function(real, release.data, release.truth).value
    assert worst_set(error)[0] == pytest.approx(expected)


def test_rebuilt_receipts_keep_totals_dates_and_prices_in_range(real: PurchaseData) -> None:
    source = np.roll(np.arange(400), 1)
    sets = itemset_matrix(real, real.transactions.item.labels)
    rows = rebuilt(real, source, sets)
    before = real.transactions
    # Row i has exactly its items, and as many receipts on the same days as customer source(i) had.
    released = PurchaseData(real.master, rows)
    assert (itemset_matrix(released, before.item.labels) != sets).nnz == 0
    for i in range(0, 400, 17):
        mine, theirs = rows.customer == i, before.customer == source[i]
        assert set(rows.day[mine]) == set(before.day[theirs])
        assert len(np.unique(rows.receipt.codes[mine])) == len(np.unique(before.receipt.codes[theirs]))
    price = pd.DataFrame({"item": before.item.texts(), "price": before.price}).groupby("item").price
    low, high = (bound[rows.item.texts()].to_numpy() for bound in (price.min(), price.max()))
    assert (rows.price >= low).all() and (rows.price <= high).all()
    spent = np.bincount(rows.customer, rows.amount) - np.bincount(before.customer, before.amount)[source]
    assert np.median(np.abs(spent)) < 100
