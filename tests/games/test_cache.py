"""Answers that are remembered: found by all that they depend on, whole or not at all, within bounds."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from games.apart import ApartGame, run_here
from games.cache import FolderAnswers, key_of
from games.contract.boxes import EMPTY, MemoryOut
from games.contract.broken import BrokenGame
from games.loading import read_folder
from games.rehearsal import generator

PAIR = Path(__file__).parent / "pair"


def folder_of(path: Path, **files: str) -> Path:
    path.mkdir(parents=True)
    for name, text in files.items():
        (path / name).write_text(text, encoding="utf-8")
    return path


def test_a_key_depends_on_the_game_and_on_every_byte_and_name_of_a_call(tmp_path: Path) -> None:
    calls = [
        folder_of(tmp_path / "1", a="1", b="2"),
        folder_of(tmp_path / "2", a="1", b="3"),
        folder_of(tmp_path / "3", a="1", c="2"),
        folder_of(tmp_path / "4", a="1", b="", c="2"),
    ]
    keys = [key_of("game", call) for call in calls] + [key_of("other", calls[0])]
    assert len(set(keys)) == 5
    assert key_of("game", folder_of(tmp_path / "5", b="2", a="1")) == keys[0]


def test_an_answer_comes_back_as_it_was(tmp_path: Path) -> None:
    answers = FolderAnswers(tmp_path / "answers", 1000)
    key = key_of("game", folder_of(tmp_path / "call", a="1"))
    empty = folder_of(tmp_path / "empty")
    assert not answers.fetch(key, empty) and list(empty.iterdir()) == []
    given = folder_of(tmp_path / "given", answer="42")
    (given / "files").mkdir()
    (given / "files" / "x.csv").write_text("1", encoding="utf-8")
    answers.keep(key, given)
    answers.keep(key, given)
    assert answers.fetch(key, empty)
    assert (empty / "answer").read_text(encoding="utf-8") == "42"
    assert (empty / "files" / "x.csv").read_text(encoding="utf-8") == "1"
    assert [path.name for path in (tmp_path / "answers").iterdir()] == [key]


def test_what_nobody_asks_for_makes_room(tmp_path: Path) -> None:
    answers = FolderAnswers(tmp_path / "answers", 25)
    keys = [letter * 64 for letter in "abc"]
    for place, key in enumerate(keys):
        answers.keep(key, folder_of(tmp_path / key, answer="x" * 10))
        os.utime(tmp_path / "answers" / key, (place, place))
        if place == 1:
            assert answers.fetch(keys[0], folder_of(tmp_path / "read"))
    assert sorted(path.name for path in (tmp_path / "answers").iterdir()) == [keys[0], keys[2]]
    answers.keep("d" * 64, folder_of(tmp_path / "large", answer="x" * 26))
    assert not answers.fetch("d" * 64, folder_of(tmp_path / "none"))


def test_what_a_killed_process_left_is_removed_and_what_another_writes_is_not(tmp_path: Path) -> None:
    for name in ("part-old", "part-new"):
        folder_of(tmp_path / "answers" / name, answer="1")
    os.utime(tmp_path / "answers" / "part-old", (0, 0))
    FolderAnswers(tmp_path / "answers", 100).keep("a" * 64, folder_of(tmp_path / "given", answer="1"))
    assert sorted(path.name for path in (tmp_path / "answers").iterdir()) == ["a" * 64, "part-new"]


@pytest.mark.parametrize("key", ["", "../x", "A" * 64, "a" * 63])
def test_a_key_is_no_path(key: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is no key"):
        FolderAnswers(tmp_path, 10).fetch(key, tmp_path)


def built(game: Any, seed: str) -> tuple[Any, dict[str, bytes]]:
    out = MemoryOut(game.declaration.files_of("round", "build"))
    return game.build(EMPTY, {"cohort": 12}, generator(seed, "build"), out), out.files


def test_a_game_is_not_asked_the_same_twice(tmp_path: Path) -> None:
    started = []

    def run(verb: str, *places: Path) -> str:
        started.append(verb)
        return run_here(verb, *places)

    answers = FolderAnswers(tmp_path, 1 << 20)
    game = ApartGame(PAIR, read_folder(PAIR), run, answers, "one")
    first = built(game, "seed")
    assert first[1]
    assert built(game, "seed") == first
    assert len(started) == 1
    assert built(game, "other seed") != first
    assert built(ApartGame(PAIR, read_folder(PAIR), run, answers, "two"), "seed") == first
    assert len(started) == 3


def test_a_failure_is_not_remembered(tmp_path: Path) -> None:
    def run(verb: str, game: Path, inside: Path, outside: Path) -> str:
        return ""

    game = ApartGame(PAIR, read_folder(PAIR), run, FolderAnswers(tmp_path, 1000), "one")
    with pytest.raises(BrokenGame):
        built(game, "seed")
    assert list(tmp_path.iterdir()) == []
