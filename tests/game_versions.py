"""Two versions of the smallest game, as zips that organisers upload."""

from __future__ import annotations

import shutil
import tempfile
from functools import lru_cache
from pathlib import Path

import pytest

from contest.play import packages
from datasets.zip_writer import zipped
from games.contract.game import Game
from games.loading import load_folder
from games.round_folder import read_files
from tests.conftest import ROOT

MINI = ROOT / "tests" / "games" / "mini"
PEOPLE = b"age\n20\n30\n40\n50\n"
EXACT = {"release.csv": b"age\n20\n30\n40\n60\n"}
"""Three of four ages as they are: 3/4 are found by version 1, and by version 2."""
NEAR = {"release.csv": b"age\n21\n31\n41\n51\n"}
"""All ages a year off: none is found by version 1, all by version 2."""


def mini(*changes: tuple[str, str, str]) -> bytes:
    """The zip of the game, with other words in some of its files."""
    files = read_files(MINI)
    for name, old, new in changes:
        text = files[name].decode()
        assert old in text, (name, old)
        files[name] = text.replace(old, new, 1).encode()
    return zipped({name: content for name, content in files.items() if "__pycache__" not in name})


def version_2(*changes: tuple[str, str, str]) -> bytes:
    """The version in which a guess that is a year off counts as found."""
    return mini(("game.yaml", '"1.0"', '"2.0"'), ("game.py", "NEAR = 0", "NEAR = 1"), *changes)


def trust_uploads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Import uploaded games instead of running them in the sandbox, which has tests of its own."""
    place = Path(tempfile.mkdtemp(prefix="kakurenbo-mini-"))

    @lru_cache
    def loaded(sha256: str, zip_sha256: str, declaration: str) -> Game:
        folder = place / sha256
        shutil.copytree(packages._unpacked(sha256, zip_sha256), folder)
        return load_folder(folder)

    monkeypatch.setattr(packages, "_sandboxed", loaded)
