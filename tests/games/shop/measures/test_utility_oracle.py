"""The four measures of 2016 against oracles written from their definitions alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games.shop.data.folder import read_original
from games.shop.data.tables import PurchaseData
from games.shop.measures import subset as subset_module
from games.shop.measures.cmae import cmae
from games.shop.measures.rfm import rfm
from games.shop.measures.subset import subset
from games.shop.measures.ut_jaccard import ut_jaccard
from tests.games.shop.measures import oracle, pandas_oracle
from tests.games.shop.measures.strategies import Contest, contests, dataset

relaxed = settings(deadline=None, max_examples=500, suppress_health_check=list(HealthCheck))


@pytest.mark.slow
@relaxed
@given(contests())
def test_ut_jaccard_cmae_and_rfm_are_the_oracles(contest: Contest) -> None:
    tables = contest.datasets()
    for vanished in ("charge", "ignore"):
        value = ut_jaccard(*tables, vanished=vanished).value
        assert value == pytest.approx(oracle.ut_jaccard(contest, vanished), abs=1e-9)
    assert cmae(*tables).value == pytest.approx(oracle.cmae(contest), abs=1e-9)
    assert rfm(*tables).value == pytest.approx(oracle.rfm(contest), abs=1e-9)


@pytest.mark.slow
@settings(relaxed, max_examples=200)
@given(contests(), st.sampled_from([1, 300, 1000, 2_000_000]))
def test_subset_is_the_oracles_over_every_window_and_every_set(contest: Contest, cells: int) -> None:
    with patch.object(subset_module, "CELLS_AT_ONCE", cells):
        value = subset(*contest.datasets()).value
    assert value == pytest.approx(oracle.subset(contest), rel=1e-9, abs=1e-9)


@pytest.fixture(scope="module")
def original(shared_data: Path) -> PurchaseData:
    return read_original(shared_data / "pwscup2016")


def perturbed(
    original: PurchaseData, seed: int, share: float, n_dropped: int
) -> tuple[PurchaseData, np.ndarray]:
    """A copy with new names and order, some rows deleted, and a share of cells swapped between rows."""
    rng = np.random.default_rng(seed)
    people, rows = original.to_frames()
    truth = rng.permutation(len(people))[n_dropped:]
    names = {people["customer_id"][who]: f"p{i}" for i, who in enumerate(truth)}
    people = people.iloc[truth].reset_index(drop=True)
    rows = rows[rows["customer_id"].isin(names)]
    rows = rows.sample(frac=1 - share / 2, random_state=seed).reset_index(drop=True)
    people["customer_id"] = people["customer_id"].map(names)
    rows["customer_id"] = rows["customer_id"].map(names)
    for columns in (["item_id", "unit_price"], ["date"], ["quantity"], ["receipt_id"]):
        chosen = rng.choice(len(rows), int(share * len(rows)), replace=False)
        rows.loc[chosen, columns] = rows.loc[rng.permutation(chosen), columns].to_numpy()
    chosen = rng.choice(len(people), int(share * len(people)), replace=False)
    people.loc[chosen, "country"] = people.loc[rng.permutation(chosen), "country"].to_numpy()
    return PurchaseData.from_frames(people, rows), truth


@pytest.mark.parametrize(("seed", "share", "n_dropped"), [(1, 0.0, 0), (2, 0.2, 0), (3, 0.6, 37)])
def test_perturbed_copies_of_the_2016_data_agree_with_pandas(
    original: PurchaseData, seed: int, share: float, n_dropped: int
) -> None:
    released, truth = perturbed(original, seed, share, n_dropped)
    frames = (*original.to_frames(), *released.to_frames(), truth)
    for name, function in {"ut_jaccard": ut_jaccard, "cmae": cmae, "subset": subset, "rfm": rfm}.items():
        value = function(original, released, truth).value
        assert value == pytest.approx(getattr(pandas_oracle, name)(*frames), rel=1e-9, abs=1e-9), name


def test_sums_beyond_64_bits_stay_exact() -> None:
    """99,999.99 × 999,999 a row is the largest purchase that the files allow; a million of them overflow."""
    n = 1_000_000
    person = ("1", "f", "1970/1/1", "France")
    tea = ("1", "1", "2011/1/1", "9:00", "tea", "1", "1")
    original = dataset((person,), (tea,))
    one = original.transactions.take(np.zeros(n, dtype=np.int64))
    dear = replace(one, price=np.full(n, 9_999_999), quantity=np.full(n, 999_999))
    released, truth = PurchaseData(original.master, dear), np.array([0])
    total = 9_999_999 * 999_999 * n
    assert total > 2**63
    assert subset(original, released, truth).value == (total - 100) / 100
    assert cmae(original, released, truth).value == pytest.approx(99_999.99 - 1.0, abs=1e-9)
    assert rfm(original, released, truth).value == pytest.approx(2**0.5)
