"""The packages of the games from outside the tree: their folders, and their wheels, installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from kakurenbo.main import main
from tests.environments import PIP
from tests.outside_games.script import Script
from tests.outside_games.scripts import LANTERN, OURS


def make_projects(place: Path) -> Path:
    """The folders of all packages; that of the skeleton is made by the command."""
    assert main(["game", "new", LANTERN.game, "--folder", str(place)]) == 0
    for script in OURS:
        if script.project is not None:
            litter = shutil.ignore_patterns("__pycache__")
            shutil.copytree(script.project, place / script.game, ignore=litter)
    return place


def package(projects: Path, script: Script) -> Path:
    return projects / script.game / script.game.replace("-", "_")


def install_wheels(projects: Path, wheels: Path, place: Path) -> Path:
    """Build the three wheels and install them into a folder."""
    for script in OURS:
        # A copy, because building leaves files beside the sources.
        copy = shutil.copytree(projects / script.game, wheels / script.game)
        command = [*PIP, "wheel", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
        subprocess.run([*command, "--wheel-dir", wheels / "dist", copy], check=True)
    install = [*PIP, "install", "--quiet", "--no-deps", "--no-index", "--no-compile", "--target", place]
    subprocess.run([*install, *sorted((wheels / "dist").iterdir())], check=True)
    return place
