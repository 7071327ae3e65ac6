"""What must hold for every anonymizer, over real data and over data at the edges."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from anonymizers.anonymizer import ParameterError
from anonymizers.publish import Refused
from anonymizers.registry import ANONYMIZERS, anonymizer, run_anonymizer
from datasets.folder import write_release
from datasets.tables import Dataset, Release
from tests.anonymizers.tables import made

NAMES = [method.name for method in ANONYMIZERS]
SHAPES = {
    "one customer": lambda: made(1),
    "two customers": lambda: made(2),
    "ten customers": lambda: made(10),
    "one item each": lambda: made(10, rows_each=1),
    "one item in all": lambda: made(10, rows_each=1, n_items=1),
    "one day": lambda: made(10, n_days=1),
}


@cache
def shape(name: str) -> Dataset:
    return SHAPES[name]()


def assert_legal(original: Dataset, release: Release) -> None:
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
def test_legal_output_or_clear_refusal(name: str, where: str) -> None:
    original = shape(where)
    try:
        done = run_anonymizer(name, original, {"ut-jaccard": 0.7}, 5, {})
    except Refused as refusal:
        assert str(refusal).endswith(".") and len(str(refusal)) > 30
        return
    assert_legal(original, done.release)


@pytest.mark.parametrize("name", NAMES)
def test_legal_on_the_real_data(name: str, real: Dataset) -> None:
    done = run_anonymizer(name, real, {}, 1, {})
    assert_legal(real, done.release)


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


@pytest.mark.parametrize("name", ["identity", "noise", "round", "topcode"])
def test_truth_is_true_judged_by_item_sets(name: str, real: Dataset) -> None:
    """These methods keep items, and all 400 item sets of 2016 are distinct (README of the data), so item
    sets alone rebuild the whole of P."""
    release = run_anonymizer(name, real, {}, 4, {}).release
    sets = {frozenset(items): row for row, items in enumerate(_item_sets(real))}
    assert len(sets) == 400
    assert [sets[frozenset(items)] for items in _item_sets(release.data)] == release.truth.tolist()


def _item_sets(data: Dataset) -> list[set[str]]:
    sets: list[set[str]] = [set() for _ in range(data.n_customers)]
    texts = data.transactions.item.texts()
    for customer, item in zip(data.transactions.customer.tolist(), texts, strict=True):
        sets[customer].add(item)
    return sets


def test_pseudonyms_tell_nothing_about_the_order_of_m(real: Dataset) -> None:
    """Spearman's correlation of the sorted pseudonyms with the rows of M; its deviation under
    independence is 1/√399 = 0.05."""
    release = run_anonymizer("identity", real, {}, 9, {}).release
    order = np.argsort(release.data.master.ids)
    assert abs(np.corrcoef(release.truth[order], np.arange(400))[0, 1]) < 0.2
    assert abs(np.corrcoef(release.truth, np.arange(400))[0, 1]) < 0.2


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


def test_swap_of_everything_keeps_the_multiset_of_purchases(real: Dataset) -> None:
    after = run_anonymizer("swap", real, {}, 2, {"share": 1}).release.data.transactions
    before = real.transactions
    assert after.amount.sum() == before.amount.sum()
    assert sorted(after.item.texts()) == sorted(before.item.texts())


def test_delete_leaves_only_items_with_k_buyers(real: Dataset) -> None:
    after = run_anonymizer("delete", real, {}, 2, {"k": 5}).release.data.to_frames()[1]
    assert after.groupby("item_id").customer_id.nunique().min() >= 5
