"""A folder of contest files: ``M.csv`` and ``T.csv``, and for an entry ``P.csv`` beside them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from datasets.tables import MASTER_COLUMNS, TRANSACTION_COLUMNS, Dataset, Release


def read_original(folder: Path) -> Dataset:
    """Read M.csv and T.csv of a folder."""
    master, transactions = (
        pd.read_csv(folder / name, header=None, names=list(columns), dtype=str)
        for name, columns in (("M.csv", MASTER_COLUMNS), ("T.csv", TRANSACTION_COLUMNS))
    )
    return Dataset.from_frames(master, transactions)


def read_release(folder: Path) -> Release:
    """Read M.csv, T.csv and P.csv of an entry's folder."""
    truth = np.loadtxt(folder / "P.csv", dtype=np.int64, ndmin=1) - 1
    return Release(read_original(folder), truth)


def write_dataset(folder: Path, data: Dataset) -> None:
    """Write M.csv and T.csv into a folder, which is made if it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, frame in zip(("M.csv", "T.csv"), data.to_frames(), strict=True):
        frame.to_csv(folder / name, header=False, index=False, lineterminator="\n")


def write_release(folder: Path, release: Release) -> None:
    """Write M.csv, T.csv and P.csv into a folder, which is made if it is not there."""
    write_dataset(folder, release.data)
    text = "".join(f"{row + 1}\n" for row in release.truth.tolist())
    (folder / "P.csv").write_text(text, encoding="ascii")
