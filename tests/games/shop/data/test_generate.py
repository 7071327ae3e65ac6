"""Generated data: the same for a seed, streamed or not, legal, and like the real."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from games.shop.data import generate as module
from games.shop.data.folder import read_original, write_dataset
from games.shop.data.generate import generate, generate_to_folder
from games.shop.data.tables import PurchaseData
from tests import chance


def nearest_distances(data: PurchaseData) -> np.ndarray:
    """Jaccard distance of every customer's item set to the nearest other."""
    rows = data.transactions
    bought = np.zeros((data.n_customers, rows.item.n_labels), dtype=np.float32)
    bought[rows.customer, rows.item.codes] = 1
    size = bought.sum(axis=1)
    common = bought @ bought.T
    distance = 1 - common / (size[:, None] + size - common)
    np.fill_diagonal(distance, 1)
    return distance.min(axis=1)


@pytest.fixture(scope="module")
def twelve() -> list[PurchaseData]:
    """One data set has half a tenth more or fewer rows than the next, so means of twelve are compared."""
    return [generate(400, chance.seed(number)) for number in range(12)]


def test_it_looks_like_the_real_data(twelve: list[PurchaseData], shared_data: Path) -> None:
    """Means of twelve, with their errors: distance 0.849 (0.001); of the real figures rows 1.02 (0.03),
    receipts 1.00 (0.02), items 1.01 (0.003), medians of days 1.00, prices 1.02 (0.02), quantities 0.8;
    countries 29.9 (0.1) of 30. Every margin is seven errors or more away."""

    def mean(of: Callable[[PurchaseData], float]) -> float:
        return float(np.mean([of(data) for data in twelve]))

    real = read_original(shared_data / "pwscup2016")
    assert nearest_distances(real).mean() == pytest.approx(0.844, abs=0.0005)
    assert mean(lambda data: nearest_distances(data).mean()) == pytest.approx(0.844, abs=0.02)
    assert mean(lambda data: data.transactions.n_rows) == pytest.approx(real.transactions.n_rows, rel=0.22)
    receipts, items = real.transactions.receipt.n_labels, real.transactions.item.n_labels
    assert mean(lambda data: data.transactions.receipt.n_labels) == pytest.approx(receipts, rel=0.2)
    assert mean(lambda data: data.transactions.item.n_labels) == pytest.approx(items, rel=0.05)
    assert mean(lambda data: data.master.country.n_labels) == pytest.approx(30, abs=3)
    for column in ("day", "price", "quantity"):
        theirs = np.median(getattr(real.transactions, column))
        ours = mean(lambda data, name=column: np.median(getattr(data.transactions, name)))
        assert ours == pytest.approx(theirs, rel=0.3)


def test_it_has_long_tails_and_seasons(twelve: list[PurchaseData]) -> None:
    """The busiest customer of one data set had 21 to 97 times the median's rows, 52 on average with an error
    of 6; November 1.4 times the rows of the next month, 0.05."""
    busiest, months = [], []
    for data in twelve:
        rows = data.transactions
        per_customer = np.bincount(rows.customer)
        busiest.append(per_customer.max() / np.median(per_customer))
        day = np.datetime64("1970-01-01") + rows.day.astype("timedelta64[D]")
        months.append(day.astype("datetime64[M]"))
        assert not ((rows.day + 3) % 7 == 5).any()
    assert np.mean(busiest) > 10
    names, counts = np.unique(np.concatenate(months), return_counts=True)
    assert str(names[np.argmax(counts)]) == "2011-11"


def test_the_streamed_files_are_the_tables_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "RECEIPTS_A_PIECE", 100)
    seen: list[tuple[int, int]] = []
    n_rows = generate_to_folder(tmp_path / "streamed", 150, 7, lambda done, total: seen.append((done, total)))
    data = generate(150, 7)
    write_dataset(tmp_path / "whole", data)
    for name in ("M.csv", "T.csv"):
        assert (tmp_path / "streamed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert n_rows == data.transactions.n_rows
    assert seen[-1][0] == seen[-1][1] == data.transactions.receipt.n_labels


def test_what_is_generated_is_legal_and_the_same_again(tmp_path: Path) -> None:
    generate_to_folder(tmp_path, 60, seed=3)
    data, again = read_original(tmp_path), generate(60, seed=3)
    for ours, theirs in zip(data.to_frames(), again.to_frames(), strict=True):
        assert ours.equals(theirs)
    other = generate(60, seed=4)
    assert other.transactions.n_rows != data.transactions.n_rows or not np.array_equal(
        other.transactions.price, data.transactions.price
    )


def test_a_seed_means_the_same_on_every_machine(tmp_path: Path) -> None:
    """The digests were taken when the generator was written; they change only with its definition."""
    generate_to_folder(tmp_path, 20, seed=1)
    digests = [hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()[:16] for name in ("M.csv", "T.csv")]
    assert digests == ["ec013c263c4fd57e", "0bce0b594047fb4d"]


@pytest.mark.parametrize(("n_customers", "seed"), [(0, 1), (-5, 1), (10, -1)])
def test_impossible_arguments_are_named(n_customers: int, seed: int) -> None:
    with pytest.raises(ValueError, match=r"must be .* Got -?\d+ instead"):
        generate(n_customers, seed)
