"""Runs on whole folders of any name: what they see, and what is refused beforehand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from attacks.sandbox import run_files
from attacks.sandbox.program import Program
from attacks.sandbox.stage import EVERYTHING, staged

LISTS = b"""
import os, sys
from inner.part import WORD
seen = {folder: sorted(os.path.relpath(os.path.join(at, name), folder)
                       for at, _, names in os.walk(folder) for name in names) for folder in sys.argv[1:-1]}
for folder in (*sys.argv[1:-1], "/program"):
    try:
        open(os.path.join(folder, "new"), "w")
    except OSError as error:
        print("denied:", error)
open(sys.argv[-1], "w").write(f"{WORD} {seen} {sys.argv[-1]}")
"""
FILES = {"start.py": LISTS, "inner/part.py": b"WORD = 'imported'\n", "inner/__init__.py": b""}


@pytest.fixture
def inputs(tmp_path: Path) -> dict[str, Path]:
    (tmp_path / "one" / "deep").mkdir(parents=True)
    (tmp_path / "one" / "deep" / "a.csv").write_text("1", encoding="utf-8")
    (tmp_path / "one" / "b").write_text("2", encoding="utf-8")
    (tmp_path / "other").mkdir()
    return {"game": tmp_path / "one", "call": tmp_path / "other"}


def test_every_file_of_every_input_is_shown_and_nothing_can_be_changed(
    sandbox: str, inputs: dict[str, Path]
) -> None:
    ran = run_files(FILES, "start.py", inputs, {"wall_seconds": 120}, sandbox, accept_uncounted=True)
    assert ran.status == "done", ran.log
    assert ran.output == b"imported {'/game': ['b', 'deep/a.csv'], '/call': []} /out/answer"
    assert ran.log.count("denied: ") == 3
    assert sorted(path.name for path in inputs["game"].rglob("*")) == ["a.csv", "b", "deep"]


@pytest.mark.parametrize("kind", ["link", "folder link", "pipe"])
def test_an_input_of_anything_but_files_is_not_run(kind: str, inputs: dict[str, Path]) -> None:
    if kind == "pipe":
        os.mkfifo(inputs["call"] / "x")
    else:
        (inputs["call"] / "x").symlink_to("/etc" if kind == "folder link" else "/etc/passwd")
    with (
        pytest.raises(ValueError, match="must hold x as a plain file"),
        staged(Program(FILES, "start.py"), inputs, dict.fromkeys(inputs, EVERYTHING)),
    ):
        pass


@pytest.mark.parametrize("name", ["program", "tmp", "out", "usr", "lib64", "proc", "../x", "A", "", "a/b"])
def test_an_input_hides_nothing_of_the_system(name: str, tmp_path: Path) -> None:
    with (
        pytest.raises(ValueError, match="is no name of an input"),
        staged(Program(FILES, "start.py"), {name: tmp_path}, {name: EVERYTHING}),
    ):
        pass


def test_a_limit_that_is_unknown_is_an_error_of_the_platform(sandbox: str, inputs: dict[str, Path]) -> None:
    with pytest.raises(TypeError, match="colour"):
        run_files(FILES, "start.py", inputs, {"colour": 1}, sandbox, accept_uncounted=True)


def test_without_isolation_nothing_runs(inputs: dict[str, Path]) -> None:
    ran = run_files(FILES, "start.py", inputs, {}, "none")
    assert (ran.status, ran.output) == ("refused", None)
