"""Originals and entries of every format on one small shop, made by the house's own methods."""

from __future__ import annotations

import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

from games.shop.data.generate import generate
from games.shop.formats import Format, Neutral, find_format
from games.shop.guessing import Target
from games.shop.methods.registry import EVERY_ANONYMIZER, run_anonymizer

METHODS = {
    name: [method.name for method in EVERY_ANONYMIZER if method.format == name] for name in ("2017", "2018")
}
SHEET_METHODS = [(name, method) for name, methods in METHODS.items() for method in methods]


@lru_cache
def original(name: str, n_customers: int = 30) -> Any:
    return find_format(name).from_tables(generate(n_customers, seed=7))


@lru_cache
def upload(name: str, method: str, seed: int = 1) -> dict[str, bytes]:
    """The files of an entry that a house method makes."""
    spec = find_format(name)
    made = run_anonymizer(method, original(name), {}, seed, {})
    with tempfile.TemporaryDirectory() as folder:
        spec.write_entry(Path(folder), made.release)
        return {file: (Path(folder) / file).read_bytes() for file in spec.upload_names}


def checked(spec: Format, name: str, method: str, folder: Path) -> Neutral:
    """An upload through the checker, from files as a team sends them."""
    files = upload(name, method)
    for file, content in files.items():
        (folder / file).write_bytes(content)
    result = spec.check_upload({file: folder / file for file in files}, original(name))
    assert result.verdict.problems == ()
    assert result.neutral is not None
    return result.neutral


def target(spec: Format, data: Any, neutral: Neutral) -> Target:
    return Target(
        n_original=spec.facts(data).n_customers,
        n_released=neutral.n_released,
        original=lambda: data,
        released=lambda: neutral.released,
    )
