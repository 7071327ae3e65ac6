"""Data sets: publishing their files, and reading published files again."""

from __future__ import annotations

import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.db import transaction

from contest.files.storage import published
from contest.models import Dataset, Entry, User
from contest.models.dataset import files_key
from contest.records import audit
from games.formats import OLDEST, find_format

Files = tuple[tuple[str, str], ...]


def register_dataset(
    name: str,
    data: Any,
    *,
    format: str = OLDEST,
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
                "n_people": facts.n_people,
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
    """What the pictures of a data set count."""
    return _described(dataset.format, tuple(dataset.files.items()))


@lru_cache(maxsize=16)
def _described(format: str, files: Files) -> dict[str, list[tuple[str, int]]]:
    return find_format(format).counted(load_files(format, True, files))
