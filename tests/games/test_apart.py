"""Verbs in processes of their own: the same numbers, and nothing that such a process writes is believed."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from games.apart import ApartGame, run_beside, run_here
from games.contract.boxes import EMPTY, MemoryBox, MemoryOut
from games.contract.broken import BadAnswer, GameFailed, UndeclaredFile
from games.contract.folders import Reader, Writer
from games.contract.messages import SAID_BY_GAME
from games.contract.values import Result, Target, World
from games.loading import load_folder, read_folder
from games.rehearsal import generator
from games.shop.data.cells import BAD_QUANTITY

TOYS = Path(__file__).parent
PAIR = TOYS / "pair"
WORLD = World({}, EMPTY, EMPTY)


def built(game: Any) -> tuple[Any, dict[str, bytes]]:
    out = MemoryOut(game.declaration.files_of("round", "build"))
    return game.build(EMPTY, {"cohort": 12}, generator("seed", "build"), out), out.files


def test_a_process_of_its_own_gives_the_same() -> None:
    apart = ApartGame(PAIR, read_folder(PAIR), run_beside)
    assert built(apart) == built(load_folder(PAIR))


def test_a_game_that_fails_leaves_its_log_to_the_organiser(tmp_path: Path) -> None:
    (tmp_path / "game.yaml").write_text((PAIR / "game.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "game.py").write_text("raise RuntimeError('the secret is 42')", encoding="utf-8")
    with pytest.raises(GameFailed) as caught:
        built(ApartGame(tmp_path, read_folder(PAIR), run_beside))
    assert "42" not in str(caught.value)
    assert "the secret is 42" in caught.value.log


def test_values_come_back_as_they_went(tmp_path: Path) -> None:
    result = Result(
        0.5, {"auc": None}, 0.1, (0.0, 1.0), {"found": np.arange(3), "names": np.array(["a", "ü"])}
    )
    sent = (result, generator("a"), MemoryBox({"a/b.csv": b"1"}), {"x": (1, None, "y")}, float("inf"))
    Writer(tmp_path).write("call.json", sent)
    back, rng, box, mapping, infinite = Reader(tmp_path).read("call.json")
    assert back._replace(evidence={}) == result._replace(evidence={})
    assert back.evidence["found"].tolist() == [0, 1, 2]
    assert back.evidence["names"].tolist() == ["a", "ü"]
    assert rng.random(5).tolist() == generator("a").random(5).tolist()
    with box.open("a/b.csv") as file:
        assert file.read() == b"1"
    assert (mapping, infinite) == ({"x": (1, None, "y")}, float("inf"))


def test_problems_of_a_reader_come_back_as_they_went() -> None:
    files = {path.name: path.read_bytes() for path in (PAIR / "examples" / "bad-token").iterdir()}
    entry = Target("a", "", 0, {}, None, MemoryBox(files), EMPTY, EMPTY)
    (here,), (there,) = (
        list(game.check(WORLD, entry))
        for game in (load_folder(PAIR), ApartGame(PAIR, read_folder(PAIR), run_here))
    )
    assert here == there
    (problem,) = there.problems
    assert (problem.file, problem.line, problem.column, problem.got) == ("token.csv", 2, "pieces", "many")
    assert problem.expected == BAD_QUANTITY()


def said(**changes: Any) -> str:
    """One problem as a process would write it."""
    problem = {"file": "a.csv", "line": 1, "column": "x", "got": "7", "expected": BAD_QUANTITY().as_data()}
    return json.dumps({"$": "problems", "problems": [problem | changes], "total": 1, "counts": []})


@pytest.mark.parametrize(
    "changes",
    [
        {"expected": {"code": "game-check", "values": {"words": "the secret is 42"}}},
        {"expected": {"code": "setting.or-null", "values": {"expected": SAID_BY_GAME(words="42").as_data()}}},
        {"expected": {"code": "unheard-of", "values": {}}},
        {"expected": "the secret is 42"},
        {"file": "a\u202eb.csv"},
        {"line": "one"},
        {"got": {"code": "game-check", "values": {"words": "42"}}},
    ],
)
def test_a_problem_in_words_that_are_not_the_platforms_is_not_believed(
    changes: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "answer.json").write_text(said(), encoding="utf-8")
    assert Reader(tmp_path).read("answer.json").problems[0].code == "bad-quantity"
    (tmp_path / "answer.json").write_text(said(**changes), encoding="utf-8")
    with pytest.raises(BadAnswer):
        Reader(tmp_path).read("answer.json")


ANSWERS: dict[str, Any] = {
    "no file": None,
    "no JSON": "{",
    "a bare list": "[1]",
    "a type that is not ours": json.dumps({"$": "Popen", "fields": ["ls"]}),
    "a mapping without a type": json.dumps({"risk": 1}),
    "too few fields": json.dumps({"$": "Cell", "fields": []}),
    "an array elsewhere": json.dumps({"$": "array", "file": "../secret.npy"}),
    "an array that is none": json.dumps({"$": "array", "file": "answer.json"}),
    "endless nesting": '{"$": "tuple", "items": [' * 5000 + "]}" * 5000,
    "another type": json.dumps({"$": "tuple", "items": []}),
    "a text": json.dumps("0.5"),
}


@pytest.mark.parametrize("what", ANSWERS)
def test_no_answer_is_believed_that_is_not_of_the_contract(what: str) -> None:
    def run(verb: str, game: Path, inside: Path, outside: Path) -> str:
        if ANSWERS[what] is not None:
            (outside / "answer.json").write_text(ANSWERS[what], encoding="utf-8")
        return ""

    with pytest.raises(BadAnswer):
        ApartGame(PAIR, read_folder(PAIR), run).verdict("preliminary", {}, {})


def array_file(shape: tuple[int, ...], descr: str) -> bytes:
    """An array file whose header promises this, with eight bytes behind it."""
    file = io.BytesIO()
    header = {"shape": shape, "fortran_order": False, "descr": descr}
    np.lib.format.write_array_header_1_0(file, header)  # type: ignore[arg-type]
    return file.getvalue() + bytes(8)


@pytest.mark.parametrize(
    ("shape", "descr"), [((10**12,), "<f8"), ((-1,), "<f8"), ((1,), "|O"), ((2,), "<f8")]
)
def test_an_array_is_what_its_header_says_or_nothing(
    shape: tuple[int, ...], descr: str, tmp_path: Path
) -> None:
    (tmp_path / "a.npy").write_bytes(array_file(shape, descr))
    (tmp_path / "answer.json").write_text(json.dumps({"$": "array", "file": "a.npy"}), encoding="utf-8")
    with pytest.raises(BadAnswer):
        Reader(tmp_path).read("answer.json")


def test_a_link_is_neither_an_answer_nor_a_file(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text('{"$": "Verdict", "fields": []}', encoding="utf-8")

    def run(verb: str, game: Path, inside: Path, outside: Path) -> str:
        (outside / "answer.json").symlink_to(tmp_path / "secret")
        return ""

    with pytest.raises(BadAnswer, match="without an answer"):
        ApartGame(PAIR, read_folder(PAIR), run).verdict("preliminary", {}, {})


def test_what_a_process_writes_is_held_to_the_declaration() -> None:
    def run(verb: str, game: Path, inside: Path, outside: Path) -> str:
        run_here(verb, game, inside, outside)
        (outside / "files" / "extra.csv").write_text("1", encoding="utf-8")
        return ""

    with pytest.raises(UndeclaredFile, match=r"extra\.csv"):
        built(ApartGame(PAIR, read_folder(PAIR), run))


def test_there_are_no_other_verbs() -> None:
    with pytest.raises(ValueError, match="There is no verb"):
        ApartGame(PAIR, read_folder(PAIR), run_here)._called("__class__", WORLD)
