"""The shop games on tables in memory, each beside the format and the play that it wraps."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from datasets.problems import Verdict
from games.contract.boxes import EMPTY, MemoryBox, MemoryOut
from games.contract.files import check_files
from games.contract.messages import verdict_of
from games.contract.values import Box, Fault, FileVerdict, Target, World
from games.loading import load_folder
from games.shop.formats import find_format
from games.shop.guessing import find_game
from games.shop.playing import ShopGame
from tests.conftest import ROOT
from tests.games.shop.data import test_pwscup2017, test_pwscup2018
from tests.games.shop.data.conftest import MASTER, TRANSACTIONS

YEARS = ("2016", "2017", "2018")
SMALL = {
    "2016": {"M.csv": MASTER, "T.csv": TRANSACTIONS},
    "2017": {
        "M.csv": b"11,f,1950/1/31,France\n12,m,1960/12/1,Germany\n",
        "T.csv": test_pwscup2017.ORIGINAL,
    },
    "2018": {"T.csv": test_pwscup2018.ORIGINAL},
}
"""Originals that a person can check by hand."""


def folder_of(year: str) -> Path:
    return ROOT / "games" / f"pwscup{year}"


@cache
def game_of(year: str) -> ShopGame:
    game = load_folder(folder_of(year))
    assert isinstance(game, ShopGame)
    return game


def world_of(year: str, files: Mapping[str, bytes], **params: Any) -> World:
    return World({**game_of(year).declaration.defaults, **params}, MemoryBox(files), EMPTY)


def entry_of(upload: Mapping[str, bytes], key: str = "7") -> Target:
    return Target(key, "", 0, {}, None, MemoryBox(upload), EMPTY, EMPTY)


def verdict(year: str, world: World, upload: Mapping[str, bytes]) -> Verdict:
    """The verdict of the contract: the declared checks, then the game's own."""
    game = game_of(year)
    entry = entry_of(upload)
    declared = check_files(game.declaration.files_of("entry", "upload"), entry.upload).verdict
    return verdict_of(game.declaration, game.check(world, entry)) if declared.ok else declared


def streams(files: Mapping[str, bytes]) -> dict[str, io.BytesIO]:
    return {name: io.BytesIO(content) for name, content in files.items()}


def published(year: str, world: World, upload: Mapping[str, bytes], key: str = "7") -> Target:
    """A legal entry as the judge sees it."""
    game = game_of(year)
    made = game.declaration.files_of("entry", "publish", "upload")
    out = MemoryOut(made)
    entry = entry_of(upload, key)
    assert list(game.check(world, entry)) == []
    game.publish(world, entry, np.random.default_rng(0), out)
    shown = out.box(file for file in made if file.shown.all != "never")
    secret = out.box(file for file in made if file.shown.all == "never")
    return entry._replace(published=shown, secret=secret)


def contents(box: Box) -> dict[str, bytes]:
    return {name: box.open(name).read() for name in box.names()}


def written(write: Any, names: tuple[str, ...]) -> dict[str, bytes]:
    """The files that a format writes."""
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder))
        return {name: Path(folder, name).read_bytes() for name in names}


def original_of(year: str, files: Mapping[str, bytes]) -> Any:
    """The original as the format reads it."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            Path(folder, name).write_bytes(content)
        return find_format(year).read_original(Path(folder))


def answer_verdict(year: str, world: World, target: Target, files: Mapping[str, bytes]) -> Verdict:
    """What is wrong with an answer, by the contract."""
    game = game_of(year)
    said = list(game.cover(world, None, MemoryBox(files), [target]))
    return verdict_of(game.declaration, [one for one in said if isinstance(one, Fault | FileVerdict)])


def play_of(year: str) -> Any:
    return find_game(year)
