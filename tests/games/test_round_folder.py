"""A round of any game in a folder: played from the command line, and cut to what one team may read."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from games.loading import load_folder, read_completed
from games.rehearsal import Rehearsal
from games.round_folder import read_files
from kakurenbo.main import main
from kakurenbo.round_commands import UNKNOWN, chosen_preset
from tests.conftest import ROOT

PAIR = ROOT / "tests" / "games" / "pair"
SKELETON = ROOT / "games" / "skeleton"


def told(capsys: pytest.CaptureFixture[str], *words: object) -> Any:
    """What a command prints as JSON."""
    capsys.readouterr()
    assert main([*map(str, words), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A round of *pair* with two teams, each with an entry."""
    made = tmp_path / "round"
    assert (
        main(["game", "build", str(PAIR), "--out", str(made), "--teams", "tanuki,kitsune", "--seed", "5"])
        == 0
    )
    for seat, (team, method) in enumerate([("tanuki", "flip"), ("kitsune", "unchanged")]):
        entry, common = tmp_path / team, ["--round", str(made), "--game", str(PAIR), "--seat", str(seat)]
        assert main(["anonymize", method, *common, "--out", str(entry), "--seed", "7"]) == 0
        assert main(["check", *common, "--entry", str(entry)]) == 0
        assert main(["score", *common, "--entry", str(entry), "--as", team]) == 0
    return made


def test_a_round_is_played_in_a_folder_with_the_numbers_of_a_rehearsal(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    common = ["--round", folder, "--game", PAIR, "--seat", "0"]
    answer = tmp_path / "answer"
    assert main(["attack", "by-age", *map(str, common), "--out", str(answer)]) == 0
    cells = told(capsys, "judge", *common, "--answer", answer, "--as", "tanuki")
    boards = told(capsys, "game", "board", *common)

    played = Rehearsal(load_folder(PAIR), {}, ["tanuki", "kitsune"], seed="5")
    for seat, team in enumerate(played.teams):
        played.enter(seat, read_files(tmp_path / team), key=team)
    judged = played.answer(0, read_files(answer), "tanuki").cells
    assert [(cell["target"], cell["challenge"], cell["risk"]) for cell in cells] == [
        (cell.target, cell.challenge, cell.result.risk) for cell in judged
    ]
    (expected,) = played.boards()
    assert [(row["key"], row["values"]) for row in boards[0]["rows"]] == [
        (row.key, dict(row.values)) for row in expected.rows
    ]


def test_a_team_gets_what_it_may_read_and_can_check_score_and_attack_with_it(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "mine"
    common = ["--game", str(PAIR), "--seat", "0"]
    assert main(["game", "hand-out", "--round", str(folder), *common, "--out", str(mine)]) == 0
    files = set(read_files(mine))
    assert {"seats/0/B.csv", "round/ages.csv", "targets/kitsune/published/quiz.csv"} <= files
    assert not {name for name in files if name.endswith(("world.csv", "ids.csv", "quiz-truth.csv"))}
    assert not {name for name in files if "/upload/" in name or name.startswith("seats/1/")}
    assert "seed" not in {
        k for k, v in json.loads((mine / "round.json").read_text()).items() if v is not None
    }

    here = ["--round", str(mine), *common]
    assert main(["check", *here, "--entry", str(tmp_path / "tanuki")]) == 0
    assert main(["attack", "by-age", *here, "--out", str(tmp_path / "answer")]) == 0
    whole = ["--round", str(folder), *common]
    assert main(["attack", "by-age", *whole, "--out", str(tmp_path / "same")]) == 0
    assert read_files(tmp_path / "answer") == read_files(tmp_path / "same")
    capsys.readouterr()
    assert main(["judge", *here, "--answer", str(tmp_path / "answer")]) == 2
    assert "Perhaps only the organisers have it." in capsys.readouterr().err


def test_before_the_hand_over_a_team_gets_no_target(folder: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    words = ["game", "hand-out", "--round", str(folder), "--game", str(PAIR), "--moment", "open"]
    assert main([*words, "--out", str(mine)]) == 0
    assert set(read_files(mine)) == {"round.json", "round/ages.csv", "seats/0/B.csv"}


def test_measures_that_need_a_secret_are_left_out_for_a_team(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game, mine, entry = tmp_path / "game", tmp_path / "mine", tmp_path / "tanuki"
    shutil.copytree(PAIR, game)
    declared = (game / "game.yaml").read_text()
    (game / "game.yaml").write_text(
        declared.replace("{name: changed,", "{name: changed, needs-secret: true,")
    )
    assert main(["game", "hand-out", "--round", str(folder), "--game", str(game), "--out", str(mine)]) == 0
    said = {}
    for place in (folder, mine):
        capsys.readouterr()
        main(["score", "--round", str(place), "--game", str(game), "--entry", str(entry)])
        said[place] = capsys.readouterr().out
    assert UNKNOWN not in said[folder]
    assert UNKNOWN in said[mine] and "breaks" not in said[mine]


def test_the_skeleton_is_built_from_the_files_that_organisers_bring(tmp_path: Path) -> None:
    words = ["game", "build", str(SKELETON), "--teams", "a,b", "--from", str(SKELETON / "data")]
    assert main([*words, "--out", str(tmp_path / "r"), "--set", "limit-age=3"]) == 0
    assert json.loads((tmp_path / "r" / "round.json").read_text())["params"]["limit-age"] == 3
    assert main([*words[:-2], "--out", str(tmp_path / "s")]) == 2
    assert not (tmp_path / "s").exists()


HOUSE = sorted(path.parent for path in (ROOT / "games").glob("*/game.yaml"))


@pytest.mark.parametrize("game", HOUSE, ids=lambda path: path.name)
def test_the_parameters_of_every_preset_are_declared(game: Path) -> None:
    declared = read_completed(game)
    for file in declared.presets:
        preset = chosen_preset(game, declared, Path(file).stem)
        assert preset.rule and preset.parameters and set(preset.parameters) <= set(declared.defaults)


def test_a_preset_is_overridden_by_settings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = tmp_path / "game"
    shutil.copytree(PAIR, game)
    with (game / "game.yaml").open("a", encoding="utf-8") as file:
        file.write("presets: [small.yaml, wrong.yaml, odd.yaml, list.yaml]\n")
    for name, text in {
        "small": "parameters: {cohort: 8, limit-changed: 0.5}",
        "wrong": "parameters: {cohort: 400}",
        "odd": "parameters: {people: 8}",
        "list": "- cohort",
    }.items():
        (game / f"{name}.yaml").write_text(f"{text}\n", encoding="utf-8")
    words = ["game", "build", str(game), "--set", "cohort=9", "--out", str(tmp_path / "round"), "--preset"]
    for name, said in {
        "wrong": "wrong.yaml, line 1, parameters.cohort: got '400', expected an integer from 4 to 40",
        "odd": "There is no parameter 'people'",
        "list": "expected a mapping",
        "smal": "There is no preset 'smal'. Did you mean 'small'?",
    }.items():
        assert main([*words, name]) == 2
        assert said in capsys.readouterr().err
    assert main([*words, "small"]) == 0
    params = json.loads((tmp_path / "round" / "round.json").read_text(encoding="utf-8"))["params"]
    assert params == {"cohort": 9, "limit-changed": 0.5}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["check", "--round", "nowhere", "--entry", "tanuki"], "There is no round.json in nowhere"),
        (["check", "--round", "round", "--entry", "nowhere"], "There is no folder nowhere."),
        (["check", "--round", "round", "--seat", "9", "--entry", "tanuki"], "There is no seat 9 here."),
        (["check", "--round", "round", "--entry", "tanuki", "--variant", "1"], "There is no alternative 1."),
        (["anonymize", "hide", "--round", "round", "--out", "x"], "hide"),
        (
            ["anonymize", "flip", "--round", "round", "--out", "x", "--set", "share=2"],
            "expected a number from 0",
        ),
        (["anonymize", "flip", "--round", "round", "--out", "tanuki"], "exists and is not an empty folder"),
        (["attack", "guess", "--round", "round", "--out", "x"], "guess"),
        (["score", "--round", "round", "--entry", "tanuki", "--as", "../x"], "got '../x', expected"),
        (["game", "board", "--round", "round", "--rule", "fair"], "fair"),
    ],
)
def test_what_cannot_be_done_is_said(
    folder: Path,
    words: list[str],
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(folder.parent)
    capsys.readouterr()
    assert main([*words, "--game", str(PAIR)]) == 2
    assert said in capsys.readouterr().err
    assert not (folder.parent / "x").exists()


def test_a_bad_upload_and_a_bad_answer_are_refused_with_their_places(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad"
    bad.mkdir()
    (bad / "C.csv").write_text("age,ill\n20,7\n")
    common = ["--round", str(folder), "--game", str(PAIR)]
    for command in ("check", "score"):
        assert main([command, *common, "--entry", str(bad)]) == 1
        assert "C.csv, line 2, column ill" in capsys.readouterr().out
    (bad / "C.csv").rename(bad / "mia.csv")
    assert main(["judge", *common, "--answer", str(bad)]) == 1
    assert "mia.csv" in capsys.readouterr().out


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"game": "pair"}', '{"game": "pool", "version": "1", "teams": [], "seats": []}']
)
def test_a_spoiled_round_is_refused(folder: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "round.json").write_text(text)
    assert main(["game", "board", "--round", str(folder), "--game", str(PAIR)]) == 2
    assert "round" in capsys.readouterr().err


def documented() -> list[list[str]]:
    """The commands of docs/games.md, as words; those that run a team's own program are tested elsewhere."""
    text = (ROOT / "docs" / "games.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    lines = (line.removeprefix("$ ") for block in blocks for line in block.splitlines())
    return [shlex.split(line, comments=True) for line in lines if " ./" not in line]


def in_sandbox(line: list[str]) -> bool:
    return line[:3] == ["kakurenbo", "game", "test"] and line[3].endswith(".zip")


def test_the_commands_of_the_documentation_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for line in documented():
        if line[0] == "export":
            monkeypatch.setenv(*line[1].split("="))
        elif not in_sandbox(line):
            assert main(line[1:]) == 0, line
    assert "badger" in capsys.readouterr().out


def test_the_command_of_the_documentation_that_needs_a_sandbox_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sandbox: str
) -> None:
    monkeypatch.chdir(tmp_path)
    new, pack, test = (
        line[1:]
        for line in documented()
        if line[:3] in (["kakurenbo", "game", "new"], ["kakurenbo", "game", "pack"]) or in_sandbox(line)
    )
    assert [main(words) for words in (new, pack, test)] == [0, 0, 0]
