"""Data sets: publishing their files, and reading published files again."""

from __future__ import annotations

import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from django.db import transaction

from contest.files.storage import published
from contest.models import Dataset, Entry, User
from contest.models.dataset import files_key
from contest.records import audit
from datasets.formats import find_format
from datasets.tables import Integers

Files = tuple[tuple[str, str], ...]


def register_dataset(
    name: str,
    data: Any,
    *,
    format: str = "2016",
    description: str = "",
    user: User | None = None,
    source: dict[str, Any] | None = None,
) -> Dataset:
    """Publish an original of a format: the files go to the store, the facts about them into the row.

    ``source`` is what a bundle said of it, for the export.
    """
    spec = find_format(format)
    with tempfile.TemporaryDirectory() as folder:
        spec.write_original(Path(folder), data)
        stored = store_files(Path(folder), spec.original_files)
    facts = spec.facts(data)
    with transaction.atomic():
        dataset, created = Dataset.objects.get_or_create(
            name=name,
            format=format,
            files_key=files_key(stored),
            defaults={
                "description": description,
                "source": source or {},
                "files": stored,
                "facts": facts.listed(),
                "n_people": facts.n_customers,
            },
        )
        if created:
            audit.record("dataset.registered", dataset, contest=None, actor=user, after={"name": name})
    return dataset


def store_files(folder: Path, names: tuple[str, ...]) -> dict[str, str]:
    """Publish files of a folder; returns their hashes by name."""
    stored = {}
    for name in names:
        with (folder / name).open("rb") as file:
            stored[name] = published.put(file).sha256
    return stored


def load_original(dataset: Dataset) -> Any:
    """The tables of a data set, as its format reads them."""
    return load_files(dataset.format, True, tuple(dataset.files.items()))


def load_released(entry: Entry) -> Any:
    """The public tables of an entry, as its format reads them."""
    return load_files(entry.round.dataset.format, False, tuple(entry.published.items()))


@lru_cache(maxsize=4)
def load_files(format: str, original: bool, files: Files) -> Any:
    """Read published files. The tables are read-only, so a process may share them."""
    spec = find_format(format)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_files(folder, files)
        return spec.read_original(folder) if original else spec.read_released(folder)


def copy_files(folder: Path, files: Files) -> None:
    """Copy published files into a folder under their names."""
    for name, sha256 in files:
        with published.open(sha256) as source, (folder / name).open("wb") as target:
            while chunk := source.read(1024 * 1024):
                target.write(chunk)


def describe_dataset(dataset: Dataset) -> dict[str, list[tuple[str, int]]]:
    return _described(dataset.format, tuple(dataset.files.items()))


@lru_cache(maxsize=16)
def _described(format: str, files: Files) -> dict[str, list[tuple[str, int]]]:
    """Facts for the pictures of a data set: how long receipts are, how often items are bought, when.

    A format without receipts has no baskets.
    """
    spec, original = find_format(format), load_files(format, True, files)
    days, lines = spec.days(original), spec.receipt_lines(original)
    months, counts = np.unique(
        np.array(days, dtype="datetime64[D]").astype("datetime64[M]"), return_counts=True
    )
    # The epoch, 1970-01-01, was a Thursday: day 3 of a week that begins on Monday.
    weekdays = np.bincount((days.astype(np.int64) + 3) % 7, minlength=7)
    baskets = {"baskets": _classes(lines)} if len(lines) else {}
    return baskets | {
        "items": _classes(spec.item_counts(original)),
        "months": [(str(name), count) for name, count in zip(months, counts.tolist(), strict=True)],
        "weekdays": [(str(number), count) for number, count in enumerate(weekdays.tolist())],
    }


def _classes(sizes: Integers) -> list[tuple[str, int]]:
    """How many sizes fall into classes that grow.

    >>> _classes(np.array([1, 1, 3, 250]))[:3]
    [('1', 2), ('2–4', 1), ('5–9', 0)]
    """
    edges = [1, 2, 5, 10, 20, 50, 100]
    labels = ["1", "2–4", "5–9", "10–19", "20–49", "50–99", "100+"]
    counts = np.bincount(np.searchsorted(edges, sizes, side="right") - 1, minlength=len(edges))
    return list(zip(labels, counts.tolist(), strict=True))
