"""The recipes of CONTRIBUTING.md, followed word by word in a copy of the repository."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.copies import copied
from tests.documents import Block, blocks, section

OF_THIS_RUN = ("PYTEST_", "DJANGO_", "KAKURENBO_VAR", "COV_")
"""What a test leaves in the environment and somebody's shell does not have."""


def run(command: str, folder: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(OF_THIS_RUN)}
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-5000:]}{done.stderr[-3000:]}"
    return done.stdout


def changed(text: str, diff: str) -> str:
    """Apply the hunks of a diff without line numbers: their context occurs once.

    >>> changed("a\\nb\\nc\\n", " a\\n+x\\n b\\n@@\\n-c\\n")
    'a\\nx\\nb\\n'
    """
    for hunk in diff.split("@@\n"):
        lines = hunk.splitlines(keepends=True)
        old = "".join(line[1:] for line in lines if line[0] in " -")
        assert text.count(old) == 1, f"these lines occur {text.count(old)} times:\n{old}"
        text = text.replace(old, "".join(line[1:] for line in lines if line[0] in " +"))
    return text


def follow(step: Block, folder: Path) -> str:
    """Do what the words before a block say; returns what a command printed."""
    said = re.match(r"(Create|Change|Append to) `([^`]+)`|Run ", step.before)
    assert said is not None, f"What is to be done with this block? {step.before!r}"
    if said[1] is None:
        return "".join(run(command, folder) for command in step.content.splitlines())
    path = folder / said[2]
    if said[1] == "Create":
        assert not path.exists(), path
        path.write_text(step.content, encoding="utf-8")
    elif said[1] == "Change":
        path.write_text(changed(path.read_text(encoding="utf-8"), step.content), encoding="utf-8")
    else:
        path.write_text(path.read_text(encoding="utf-8") + step.content, encoding="utf-8")
    return ""


@pytest.mark.slow
@pytest.mark.parametrize("what", ["measure", "attack"])
def test_a_recipe_ends_in_green_tests_and_pages(tmp_path: Path, what: str) -> None:
    copy = copied(tmp_path)
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    steps = blocks(section(text, f"## Adding a{'n' if what == 'attack' else ''} {what}"))
    printed = "".join(follow(step, copy) for step in steps)
    name = {"measure": "lost-items", "attack": "re-twins"}[what]
    assert re.search(r"\b\d{2} passed", printed) and " 0 without translation" in printed
    assert name in (copy / "games/shop/gallery/gallery.json").read_text(encoding="utf-8")
    ruff = f"{shlex.quote(sys.executable)} -m ruff"
    run(f"{ruff} check . && {ruff} format --check .", copy)
