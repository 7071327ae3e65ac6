"""The tour of docs/make-a-game.md, word by word: its files are written, its commands print what it shows."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.documents import Block, blocks, section

PAGE = ROOT / "docs" / "make-a-game.md"
LATER = "## On the site"


def steps() -> list[Block]:
    text = PAGE.read_text(encoding="utf-8")
    return blocks(text[: text.index(LATER)])


def commands(block: Block) -> list[tuple[str, str]]:
    """The commands of a console block, each with what it prints.

    >>> commands(Block("", "console", "$ ls\\na\\nb\\n$ true\\n"))
    [('ls', 'a\\nb\\n'), ('true', '')]
    """
    parts = re.split(r"(?m)^\$ (.+)\n", block.content)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def run(command: str, folder: Path) -> str:
    """What a command prints, also where it says that something is wrong."""
    program, *words = shlex.split(command)
    assert program == "kakurenbo", command
    code = "import sys; from kakurenbo.main import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=folder, env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1) and not done.stderr, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def write(step: Block, folder: Path) -> None:
    said = re.match(r"(Create|Append to) `([^`]+)`", step.before)
    assert said is not None, f"What is to be done with this block? {step.before!r}"
    path = folder / said[2]
    assert path.exists() == (said[1] == "Append to"), path
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(step.content)


@pytest.mark.slow
def test_the_tour_ends_in_a_played_round(tmp_path: Path) -> None:
    printed = []
    for step in steps():
        if step.language != "console":
            write(step, tmp_path)
            continue
        for command, shown in commands(step):
            got = run(command, tmp_path)
            # The size of a zip depends on the library that packs it: the page has … there.
            assert re.fullmatch(re.escape(shown).replace("…", ".*"), got), f"{command}\n{got}"
            printed.append(command)
    assert {command.split()[1] for command in printed} == {
        "game", "anonymize", "check", "score", "attack", "judge",
    }  # fmt: skip
    assert (tmp_path / "harbour-1.0.zip").is_file()


def test_the_last_section_is_about_the_site() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert section(text, LATER).strip()
    assert text.rindex("\n## ") + 1 == text.index(LATER)
