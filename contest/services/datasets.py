from __future__ import annotations

import datetime
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from django.db import transaction

from contest.models import Dataset, User
from contest.services import audit
from contest.storage import published
from datasets import tables
from datasets.folder import read_original, write_dataset


def register_dataset(
    name: str,
    data: tables.Dataset,
    *,
    description: str = "",
    user: User | None = None,
    source: dict[str, Any] | None = None,
) -> Dataset:
    """Publish M and T: the files go to the store, the facts about them into the row.

    ``source`` is what a bundle said of it, for the export.
    """
    with tempfile.TemporaryDirectory() as folder:
        write_dataset(Path(folder), data)
        stored = []
        for file_name in ("M.csv", "T.csv"):
            with (Path(folder) / file_name).open("rb") as file:
                stored.append(published.put(file).sha256)
    rows = data.transactions
    days = [tables.EPOCH + datetime.timedelta(days=int(day)) for day in (rows.day.min(), rows.day.max())]
    with transaction.atomic():
        dataset, created = Dataset.objects.get_or_create(
            name=name,
            master_sha256=stored[0],
            transactions_sha256=stored[1],
            defaults={
                "description": description,
                "source": source or {},
                "n_customers": data.n_customers,
                "n_rows": rows.n_rows,
                "n_items": rows.item.n_labels,
                "n_receipts": len(np.unique(rows.receipt.codes)),
                "first_day": days[0],
                "last_day": days[1],
            },
        )
        if created:
            audit.record("dataset.registered", dataset, contest=None, actor=user, after={"name": name})
    return dataset


@lru_cache(maxsize=4)
def load_tables(master_sha256: str, transactions_sha256: str) -> tables.Dataset:
    """Read a published pair of files. The tables are read-only, so a process may share them."""
    with tempfile.TemporaryDirectory() as folder:
        for name, sha256 in (("M.csv", master_sha256), ("T.csv", transactions_sha256)):
            with published.open(sha256) as source, (Path(folder) / name).open("wb") as target:
                while chunk := source.read(1024 * 1024):
                    target.write(chunk)
        return read_original(Path(folder))


@lru_cache(maxsize=16)
def describe_tables(master_sha256: str, transactions_sha256: str) -> dict[str, list[dict[str, object]]]:
    """Facts for the page of a data set: how long receipts are, and how trade runs over the months."""
    rows = load_tables(master_sha256, transactions_sha256).transactions
    _, lines = np.unique(rows.receipt.codes, return_counts=True)
    edges = [1, 2, 5, 10, 20, 50, 100]
    labels = ["1", "2–4", "5–9", "10–19", "20–49", "50–99", "100+"]
    baskets = np.bincount(np.searchsorted(edges, lines, side="right") - 1, minlength=len(edges))
    months = np.array(rows.day, dtype="datetime64[D]").astype("datetime64[M]")
    names, counts = np.unique(months, return_counts=True)
    return {
        "baskets": _bars(labels, baskets.tolist()),
        "months": _bars([str(name) for name in names], counts.tolist()),
    }


def _bars(labels: list[str], counts: list[int]) -> list[dict[str, object]]:
    top = max(counts, default=0) or 1
    return [
        {"label": label, "count": count, "height": round(100 * count / top, 1)}
        for label, count in zip(labels, counts, strict=True)
    ]
