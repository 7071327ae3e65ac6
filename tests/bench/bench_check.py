"""Checking an entry's files, as a ratio to pandas merely reading them, and per million rows as data grow."""

from __future__ import annotations

import io
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from games.shop.data.check import check_entry, check_tables
from games.shop.data.folder import write_dataset
from games.shop.data.generate import generate, generate_to_folder
from games.shop.data.rules import FileRules
from tests.conftest import SHARED_DATA

RULES = FileRules(max_bytes=sys.maxsize)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        _ratio(Path(folder))
    largest = 1000 if os.environ.get("KAKURENBO_BENCH_LARGE") else 100
    for factor in (1, 10, 100, 1000):
        if factor <= largest:
            with tempfile.TemporaryDirectory() as folder:
                _growth(Path(folder), factor)


def _ratio(folder: Path) -> None:
    source = SHARED_DATA / "pwscup2016"
    if not source.is_dir():
        write_dataset(folder, generate(400, seed=2016))
        source = folder
    original = [(source / name).read_bytes() for name in ("M.csv", "T.csv")]
    entry = {
        name: b"".join(b"x" + line for line in raw.splitlines(keepends=True))
        for name, raw in zip(("M.csv", "T.csv"), original, strict=True)
    }
    entry["P.csv"] = b"".join(b"%d\n" % (row + 1) for row in range(original[0].count(b"\n")))

    def ours() -> None:
        data = check_tables(*map(io.BytesIO, original), RULES.max_bytes).data
        assert data is not None
        assert check_entry({name: io.BytesIO(raw) for name, raw in entry.items()}, data, RULES).verdict.ok

    def pandas() -> None:
        for raw in (*original, *entry.values()):
            pd.read_csv(io.BytesIO(raw), header=None)

    mine, theirs = _best_of_each(ours, pandas)
    print(f"check of M, T, M', T', P: {mine / theirs:.2f} x pandas.read_csv of the same files")


def _best_of_each(*functions: Callable[[], None], rounds: int = 15) -> list[float]:
    """Best CPU time of each, in turns, so that a busy machine disturbs all alike."""
    best = [float("inf")] * len(functions)
    for _ in range(rounds):
        for number, function in enumerate(functions):
            start = time.process_time()
            function()
            best[number] = min(best[number], time.process_time() - start)
    return best


def _growth(folder: Path, factor: int) -> None:
    n_rows = generate_to_folder(folder, 400 * factor, seed=1)
    start = time.process_time()
    checked = check_tables(folder / "M.csv", folder / "T.csv", RULES.max_bytes)
    seconds = time.process_time() - start
    assert checked.verdict.ok
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"{factor:5} x: {n_rows:9} rows, {seconds / n_rows * 1e6:.2f} s a million rows, peak {peak:.2f} GiB"
    )


if __name__ == "__main__":
    main()
