"""Folders are read strictly, written atomically, and published in an order that tells nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from datasets.problems import BadFiles
from datasets.tables import Coded
from datasets.writer import replacing
from games.shop.data.folder import canonical_order, read_original, read_release, write_dataset, write_release
from games.shop.data.tables import TRANSACTION_COLUMNS, Master, PurchaseData, Release
from tests.games.shop.data.conftest import ENTRY, MASTER, TRANSACTIONS


def test_the_real_files_are_written_back_byte_by_byte(shared_data: Path, tmp_path: Path) -> None:
    source = shared_data / "pwscup2016"
    write_dataset(tmp_path, read_original(source))
    for name in ("M.csv", "T.csv"):
        assert (tmp_path / name).read_bytes() == (source / name).read_bytes().replace(b"\r\n", b"\n")


def test_a_release_survives_writing_and_reading(tmp_path: Path) -> None:
    for name, raw in ENTRY.items():
        (tmp_path / name).write_bytes(raw)
    release = read_release(tmp_path)
    write_release(tmp_path / "new" / "folder", release)
    for name, raw in ENTRY.items():
        assert (tmp_path / "new" / "folder" / name).read_bytes() == raw


def test_a_generalised_release_can_be_read_again(tmp_path: Path) -> None:
    for name, raw in ENTRY.items():
        (tmp_path / name).write_bytes(
            raw.replace(b",Spain", b",{Spain;France}").replace(b"m,1960/12/1", b"*,*")
        )
    release = read_release(tmp_path)
    assert release.data.master.country.texts().tolist()[0] == "{Spain;France}"


def test_a_bad_folder_tells_its_problems(tmp_path: Path) -> None:
    (tmp_path / "M.csv").write_bytes(MASTER)
    (tmp_path / "T.csv").write_bytes(TRANSACTIONS.replace(b"8:45", b"8.45"))
    with pytest.raises(BadFiles, match=r"T.csv, line 1, column time: got '8.45'") as error:
        read_original(tmp_path)
    assert error.value.verdict.total == 2


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "M.csv"
    path.write_bytes(b"old")
    with pytest.raises(RuntimeError), replacing(path) as file:
        file.write(b"new, but not all of it")
        raise RuntimeError
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def _shuffled(release: Release, rng: np.random.Generator) -> Release:
    master = release.data.master
    order = rng.permutation(master.n_rows)
    place = np.argsort(order).astype(np.int32)
    columns = (
        Coded.of(column.codes[order], column.labels)
        for column in (master.gender, master.birthday, master.country)
    )
    rows = release.data.transactions
    shuffled = rows.take(rng.permutation(rows.n_rows), place[rows.customer])
    return Release(PurchaseData(Master(master.ids[order], *columns), shuffled), release.truth[order])


def test_the_published_order_does_not_depend_on_the_teams_order(shared_data: Path) -> None:
    data = read_original(shared_data / "pwscup2016")
    release = Release(data, np.arange(data.n_customers))
    published = canonical_order(release)
    for seed in range(3):
        other = canonical_order(_shuffled(release, np.random.default_rng(seed)))
        assert np.array_equal(other.truth, published.truth)
        for ours, theirs in zip(other.data.to_frames(), published.data.to_frames(), strict=True):
            assert ours.equals(theirs)


def test_the_published_order_keeps_who_is_who() -> None:
    rng = np.random.default_rng(0)
    ids = np.array(["q", "b", "z", "a"], dtype=object)
    column = Coded.from_texts(["f", "m", "f", "m"])
    frame_rows = PurchaseData.from_frames(
        Master(ids, column, column, column).to_frame(),
        _frame([("q", 1), ("z", 2), ("a", 3), ("q", 4)]),
    )
    release = Release(frame_rows, rng.permutation(4))
    published = canonical_order(release)
    assert published.data.master.ids.tolist() == ["a", "b", "q", "z"]
    person = dict(zip(ids, release.truth.tolist(), strict=True))
    assert [person[name] for name in published.data.master.ids] == published.truth.tolist()
    bought = published.data.to_frames()[1]
    assert set(zip(bought["customer_id"], bought["quantity"], strict=True)) == {
        ("q", "1"), ("z", "2"), ("a", "3"), ("q", "4"),
    }  # fmt: skip


def _frame(rows: list[tuple[str, int]]) -> pd.DataFrame:
    cells = [(name, "1", "2011/1/1", "8:00", "tea", "1", number) for name, number in rows]
    return pd.DataFrame(cells, columns=list(TRANSACTION_COLUMNS))
