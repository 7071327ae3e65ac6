"""A copy of the repository in which a test may change everything."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from tests.conftest import ROOT, SHARED_DATA

NOT_COPIED = shutil.ignore_patterns(
    ".git",
    ".venv",
    "var",
    "build",
    "dist",
    ".release-*",
    "*.egg-info",
    ".hypothesis",
    ".*_cache",
    "staticfiles",
)


def copied(folder: Path) -> Path:
    """The repository as it is now, with the environment of this run in it and the real data beside it."""
    place = folder / "kakurenbo"
    shutil.copytree(ROOT, place, ignore=NOT_COPIED)
    (place / ".venv").symlink_to(sys.prefix)
    if SHARED_DATA.is_dir():
        (folder / "shared").symlink_to(SHARED_DATA.parent)
    return place
