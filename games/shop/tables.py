"""The tables of a contest format in the boxes of the contract; a format reads and writes folders."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from datasets.tables import Integers, date_text
from games.contract.values import Box, Out
from games.shop.data.generate import generate
from games.shop.data.online_retail import build_online_retail
from games.shop.formats import Facts, Format

CHUNK = 1024 * 1024
BROUGHT = "tables/"
"""Where organisers put the tables of a data set that they bring."""
ONLINE_RETAIL = ("online-retail.csv", "online-retail.csv.gz")
TRUTH = "truth.txt"


@contextmanager
def in_folder(box: Box, names: Mapping[str, str]) -> Iterator[Path]:
    """A folder with copies of those of these files that are there, under other names."""
    with tempfile.TemporaryDirectory() as place:
        for name in sorted(set(names) & set(box.names())):
            with box.open(name) as source, Path(place, names[name]).open("wb") as target:
                shutil.copyfileobj(source, target, CHUNK)
        yield Path(place)


def readable_facts(facts: Facts) -> dict[str, Any]:
    """The facts about a data set as pages show them: days as dates, and no count of what is not there."""
    days = {name: date_text(getattr(facts, name)) for name in ("first_day", "last_day")}
    return {name: value for name, value in {**asdict(facts), **days}.items() if value}


def same(names: Iterable[str]) -> dict[str, str]:
    """Names that stay as they are."""
    return {name: name for name in names}


def write_out(out: Out, names: Iterable[str], write: Callable[[Path], None]) -> None:
    """Give on the files that ``write`` puts into a folder."""
    with tempfile.TemporaryDirectory() as place:
        write(Path(place))
        for name in names:
            with Path(place, name).open("rb") as source, out.create(name) as target:
                shutil.copyfileobj(source, target, CHUNK)


def read_truth(box: Box) -> Integers:
    with box.open(TRUTH) as file:
        return np.array(file.read().split(), dtype=np.int64) - 1


def write_truth(out: Out, truth: Integers) -> None:
    """One row of the original per line, counted from 1."""
    with out.create(TRUTH) as file:
        file.write("".join(f"{row + 1}\n" for row in truth.tolist()).encode("ascii"))


def build_original(spec: Format, sources: Box, customers: int, seed: int) -> Any:
    """The original from tables that organisers brought, else from the Online Retail file, else invented.

    Raises `datasets.problems.BadFiles` where the tables are not well formed.
    """
    brought = {f"{BROUGHT}{name}": name for name in spec.original_files}
    given = set(sources.names())
    if given & set(brought):
        with in_folder(sources, brought) as folder:
            return spec.read_original(folder)
    for name in ONLINE_RETAIL:
        if name in given:
            with in_folder(sources, same([name])) as folder:
                return spec.from_tables(build_online_retail(folder / name, customers, seed))
    return spec.from_tables(generate(customers, seed))
