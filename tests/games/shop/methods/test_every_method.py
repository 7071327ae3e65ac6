"""What must hold for every anonymizer, over real data and over data at the edges."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from anonymizers.anonymizer import ParameterError
from anonymizers.release import CannotProtect
from games.shop.data.check import ENTRY_FILES, check_entry
from games.shop.data.folder import write_release
from games.shop.data.generate import generate
from games.shop.data.rules import FileRules
from games.shop.data.tables import PurchaseData, Release
from games.shop.methods.registry import ANONYMIZERS, anonymizer, run_anonymizer
from tests import chance
from tests.games.shop.methods.tables import made

NAMES = [method.name for method in ANONYMIZERS]
SHAPES = {
    "one customer": lambda: generate(1, 3),
    "two customers": lambda: generate(2, 3),
    "ten customers": lambda: generate(10, 3),
    "someone bought nothing": lambda: with_idle_customer(made(10)),
    "one item each": lambda: made(10, rows_each=1),
    "one item in all": lambda: made(10, rows_each=1, n_items=1),
    "one day": lambda: made(10, n_days=1),
}


@cache
def shape(name: str) -> PurchaseData:
    return SHAPES[name]()


def with_idle_customer(data: PurchaseData) -> PurchaseData:
    rows = data.transactions
    return replace(data, transactions=rows.take(np.flatnonzero(rows.customer != 4)))


def assert_legal(original: PurchaseData, release: Release, folder: Path) -> None:
    """The checker that uploads go through, and the file rules of the contest once more on the texts."""
    write_release(folder, release)
    files = {name: folder / name for name in ENTRY_FILES}
    checked = check_entry(files, original, FileRules(max_bytes=2**40))
    assert checked.verdict.ok, checked.verdict.problems[:3]
    assert_rules_hold(original, release)


def assert_rules_hold(original: PurchaseData, release: Release) -> None:
    """The file rules of the contest, read from the written texts rather than from the arrays."""
    before_m, before_t = original.to_frames()
    master, rows = release.data.to_frames()
    n = len(before_m)
    assert sorted(release.truth.tolist()) == list(range(n)) and len(master) == n
    pseudonyms = set(master.customer_id)
    assert len(pseudonyms) == n and not pseudonyms & set(before_m.customer_id)
    assert set(rows.customer_id) <= pseudonyms
    names = pd.concat([master.customer_id, rows.receipt_id])
    assert names.map(lambda text: re.fullmatch(r"[A-Za-z0-9_-]{1,50}", text) is not None).all()
    assert set(master.gender) <= {"f", "m"} and set(master.country) <= set(before_m.country)
    assert master.birthday.map(lambda text: re.fullmatch(r"\d{4}/[1-9]\d?/[1-9]\d?", text) is not None).all()
    assert set(rows.item_id) <= set(before_t.item_id)
    assert rows.unit_price.map(lambda text: re.fullmatch(r"\d{1,5}(\.\d{1,2})?", text) is not None).all()
    assert (rows.unit_price.astype(float) > 0).all()
    assert rows.quantity.map(lambda text: re.fullmatch(r"[1-9]\d{0,5}", text) is not None).all()
    days = release.data.transactions.day
    assert days.min() >= original.transactions.day.min() and days.max() <= original.transactions.day.max()
    assert rows.time.map(lambda text: re.fullmatch(r"1?\d:[0-5]\d|2[0-3]:[0-5]\d", text) is not None).all()


@pytest.mark.parametrize("where", SHAPES)
@pytest.mark.parametrize("name", NAMES)
def test_legal_output_or_clear_refusal(name: str, where: str, tmp_path: Path) -> None:
    original = shape(where)
    try:
        done = run_anonymizer(name, original, {"ut-jaccard": 0.7}, 5, {})
    except CannotProtect as refusal:
        assert str(refusal).endswith(".") and len(str(refusal)) > 30
        return
    assert_legal(original, done.release, tmp_path)


@pytest.mark.parametrize("name", NAMES)
def test_legal_on_the_real_data(name: str, real: PurchaseData, tmp_path: Path) -> None:
    done = run_anonymizer(name, real, {}, 1, {"effort": 0.1} if name == "itemset-clusters" else {})
    assert_legal(real, done.release, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_legal_on_five_thousand_customers(name: str, tmp_path: Path) -> None:
    original = many_customers()
    done = run_anonymizer(name, original, {}, 1, {"effort": 0.1} if name == "itemset-clusters" else {})
    write_release(tmp_path, done.release)
    files = {file: tmp_path / file for file in ENTRY_FILES}
    assert check_entry(files, original, FileRules(max_bytes=2**40)).verdict.ok


@cache
def many_customers() -> PurchaseData:
    """5,000 generated customers with an eighth of their receipts; some are left with none."""
    data = generate(5000, 3)
    rows = data.transactions
    kept = np.flatnonzero(rows.receipt.codes % 8 == 0)
    return replace(data, transactions=rows.take(kept))


@pytest.mark.parametrize("name", NAMES)
def test_same_seed_same_bytes_other_seed_other_bytes(name: str, tmp_path: Path) -> None:
    original = shape("ten customers")
    for folder, seed in (("a", 1), ("b", 1), ("c", 2)):
        write_release(tmp_path / folder, run_anonymizer(name, original, {}, seed, {}).release)
    for file in ("M.csv", "T.csv", "P.csv"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
    assert (tmp_path / "a" / "T.csv").read_bytes() != (tmp_path / "c" / "T.csv").read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_the_original_is_left_untouched(name: str) -> None:
    original = made(10)
    before = [frame.copy() for frame in original.to_frames()]
    run_anonymizer(name, original, {}, 3, {})
    for frame, copy in zip(original.to_frames(), before, strict=True):
        pd.testing.assert_frame_equal(frame, copy)


@pytest.mark.parametrize("name", ["identity", "noise", "round", "topcode", "aggregate"])
def test_truth_is_true_judged_by_item_sets(name: str, real: PurchaseData) -> None:
    """These methods keep items, and all 400 item sets of 2016 are distinct (README of the data), so item
    sets alone rebuild the whole of P."""
    release = run_anonymizer(name, real, {}, 4, {}).release
    sets = {frozenset(items): row for row, items in enumerate(_item_sets(real))}
    assert len(sets) == 400
    assert [sets[frozenset(items)] for items in _item_sets(release.data)] == release.truth.tolist()


def _item_sets(data: PurchaseData) -> list[set[str]]:
    sets: list[set[str]] = [set() for _ in range(data.n_customers)]
    texts = data.transactions.item.texts()
    for customer, item in zip(data.transactions.customer.tolist(), texts, strict=True):
        sets[customer].add(item)
    return sets


def test_pseudonyms_tell_nothing_about_the_order_of_m(real: PurchaseData) -> None:
    """Spearman's correlation of the sorted pseudonyms with the rows of M; its deviation under
    independence is 1/√399 = 0.05. False alarm 1e-6; pseudonyms in the order of M would give 1."""
    release = run_anonymizer("identity", real, {}, chance.seed(9), {}).release
    allowed = chance.errors_allowed(2) / np.sqrt(399)
    order = np.argsort(release.data.master.ids)
    assert abs(np.corrcoef(release.truth[order], np.arange(400))[0, 1]) < allowed
    assert abs(np.corrcoef(release.truth, np.arange(400))[0, 1]) < allowed


@pytest.mark.parametrize(
    ("name", "parameters", "text"),
    [
        ("swap", {"share": 2}, "The 'share' parameter of swap must be a number from 0 to 1. Got 2"),
        ("swap", {"share": "x"}, "The 'share' parameter of swap must be a number from 0 to 1. Got x"),
        ("swap", {"share": "nan"}, "The 'share' parameter of swap must be a number from 0 to 1. Got nan"),
        ("delete", {"k": 1.5}, "The 'k' parameter of delete must be an integer from 2 to 1000. Got 1.5"),
        ("swap", {"what": "hat"}, "The 'what' parameter of swap must be one of purchase, quantity. Got hat"),
    ],
)
def test_a_wrong_parameter_is_named(name: str, parameters: dict, text: str) -> None:
    with pytest.raises(ParameterError) as caught:
        run_anonymizer(name, made(2), {}, 1, parameters)
    assert str(caught.value) == text + " instead."


def test_an_unknown_parameter_is_named() -> None:
    with pytest.raises(ParameterError, match=r"swap has no parameter 'size'\. Its parameters: share, what\."):
        run_anonymizer("swap", made(2), {}, 1, {"size": 2})


def test_an_unknown_method_is_named() -> None:
    with pytest.raises(KeyError, match="no anonymizer 'hide'"):
        anonymizer("hide")


@pytest.mark.parametrize("name", NAMES)
def test_defaults_are_within_their_ranges_and_have_a_meaning(name: str) -> None:
    method = anonymizer(name)
    for parameter in method.parameters:
        assert parameter.meaning.endswith(".")
    assert method.documentation and method.reference and method.version >= 1


def test_swap_of_everything_keeps_the_multiset_of_purchases(real: PurchaseData) -> None:
    after = run_anonymizer("swap", real, {}, 2, {"share": 1}).release.data.transactions
    before = real.transactions
    assert after.amount.sum() == before.amount.sum()
    assert sorted(after.item.texts()) == sorted(before.item.texts())


def test_delete_leaves_only_items_with_k_buyers(real: PurchaseData) -> None:
    after = run_anonymizer("delete", real, {}, 2, {"k": 5}).release.data.to_frames()[1]
    assert after.groupby("item_id").customer_id.nunique().min() >= 5


def test_deleting_by_week_leaves_only_weeks_with_k_buyers(real: PurchaseData) -> None:
    release = run_anonymizer("delete", real, {}, 2, {"k": 3, "key": "item-week"}).release
    after = release.data.to_frames()[1]
    week = (release.data.transactions.day - real.transactions.day.min()) // 7
    assert after.groupby([after.item_id, week]).customer_id.nunique().min() >= 3


def test_aggregate_keeps_the_units_of_an_item_up_to_rounding(real: PurchaseData) -> None:
    """Units of an item over the whole period are divided by its buyers: at most half a unit each is lost,
    or gained where less than one unit would be left."""
    after = run_anonymizer("aggregate", real, {}, 2, {"period": "all"}).release.data.to_frames()[1]
    before = real.to_frames()[1]
    units = before.assign(quantity=before.quantity.astype(int)).groupby("item_id").quantity.sum()
    shown = after.assign(quantity=after.quantity.astype(int)).groupby("item_id").quantity.sum()
    buyers = before.groupby("item_id").customer_id.nunique()
    assert ((units - shown).abs() <= buyers / 2).all()


def test_cluster_makes_every_purchase_shared_by_k_people(real: PurchaseData) -> None:
    """k-anonymity by Table 6 of Li et al.: each (day, item, price, quantity) is held by at least k people."""
    release = run_anonymizer("cluster", real, {}, 2, {"k": 4, "period": "all"}).release
    after = release.data.to_frames()[1]
    held = after.groupby(["date", "item_id", "unit_price", "quantity"]).customer_id.nunique()
    assert held.min() >= 4


def test_dirichlet_draws_popular_items_more_often_when_privacy_is_weak(real: PurchaseData) -> None:
    counts = np.bincount(real.transactions.item.codes)
    correlation = {}
    for epsilon in (0.5, 20.0):
        rows = run_anonymizer("dirichlet", real, {}, 2, {"epsilon": epsilon}).release.data.transactions
        drawn = (
            pd.Series(rows.item.texts()).value_counts().reindex(real.transactions.item.labels, fill_value=0)
        )
        correlation[epsilon] = np.corrcoef(counts, drawn)[0, 1]
    # With four seeds 0.980 to 0.983 and −0.03 to 0.02; 2,781 items, so the deviation at 0 is 0.02.
    assert correlation[20.0] > 0.9 > 0.5 > correlation[0.5]


def test_shuffle_keeps_every_multiset(real: PurchaseData) -> None:
    for what in ("master", "dates", "quantities", "receipts"):
        data = run_anonymizer("shuffle", real, {}, 2, {"what": what}).release.data
        for column in ("unit_price", "quantity", "item_id"):
            assert sorted(data.to_frames()[1][column]) == sorted(real.to_frames()[1][column])
        assert sorted(data.master.country.texts()) == sorted(real.master.country.texts())
        assert len(data.transactions.receipt.labels) == 1763
