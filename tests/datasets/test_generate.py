"""Generated data: the same for a seed, streamed or not, legal, and like the real."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from datasets import generate as module
from datasets.folder import read_original, write_dataset
from datasets.generate import generate, generate_to_folder
from datasets.tables import Dataset


def nearest_distances(data: Dataset) -> np.ndarray:
    """Jaccard distance of every customer's item set to the nearest other."""
    rows = data.transactions
    bought = np.zeros((data.n_customers, rows.item.n_labels), dtype=np.float32)
    bought[rows.customer, rows.item.codes] = 1
    size = bought.sum(axis=1)
    common = bought @ bought.T
    distance = 1 - common / (size[:, None] + size - common)
    np.fill_diagonal(distance, 1)
    return distance.min(axis=1)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_it_looks_like_the_real_data(seed: int, shared_data: Path) -> None:
    real, ours = read_original(shared_data / "pwscup2016"), generate(400, seed)
    assert nearest_distances(real).mean() == pytest.approx(0.844, abs=0.0005)
    assert nearest_distances(ours).mean() == pytest.approx(0.844, abs=0.02)
    assert ours.transactions.n_rows == pytest.approx(real.transactions.n_rows, rel=0.2)
    assert ours.transactions.receipt.n_labels == pytest.approx(real.transactions.receipt.n_labels, rel=0.2)
    assert ours.transactions.item.n_labels == pytest.approx(real.transactions.item.n_labels, rel=0.05)
    assert ours.master.country.n_labels == pytest.approx(real.master.country.n_labels, abs=3)
    for column in ("day", "price", "quantity"):
        theirs = np.median(getattr(real.transactions, column))
        assert np.median(getattr(ours.transactions, column)) == pytest.approx(theirs, rel=0.3)


def test_it_has_long_tails_and_seasons() -> None:
    rows = generate(400, seed=5).transactions
    per_customer = np.bincount(rows.customer)
    assert per_customer.max() > 10 * np.median(per_customer)
    month = (np.datetime64("1970-01-01") + rows.day.astype("timedelta64[D]")).astype("datetime64[M]")
    names, counts = np.unique(month, return_counts=True)
    assert str(names[np.argmax(counts)]) == "2011-11"
    assert not ((rows.day + 3) % 7 == 5).any()


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
