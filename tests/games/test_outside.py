"""Games from outside the tree: installed as wheels and uploaded as zips they give equal bytes and numbers.

The scripts in `tests/outside_games` say what is played and state the numbers, by hand.
"""

from __future__ import annotations

import hashlib
import io
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score, roc_curve

from attacks.sandbox import run_files
from datasets.documents import Document
from games.contract.boxes import contents
from games.contract.game import Game
from games.contract.reading import A_GAME
from games.laws import checked
from games.loading import find_folder, installed_games, load_folder, read_folder
from games.rehearsal import Rehearsal
from games.round_folder import read_round, write_answer, write_entry, write_round
from games.sandboxed import SandboxedGame
from games.zips import pack, read_zip
from kakurenbo.main import main
from tests.outside_games.packages import install_wheels, make_projects, package
from tests.outside_games.script import Asked, Files, Place, Refused, Script
from tests.outside_games.scripts import CODABENCH, LANTERN, OURS, ROLL_CALL, TWO_KEYS, bundle_zip

each_script = pytest.mark.parametrize("script", OURS, ids=lambda script: script.game)


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_projects(tmp_path_factory.mktemp("projects"))


@pytest.fixture(scope="module")
def target(projects: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the three wheels are installed."""
    return install_wheels(projects, tmp_path_factory.mktemp("wheels"), tmp_path_factory.mktemp("site"))


@pytest.fixture
def site(target: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same on Python's path."""
    monkeypatch.syspath_prepend(str(target))
    return target


@pytest.fixture
def installed(site: Path) -> Callable[[Script], Game]:
    return lambda script: load_folder(find_folder(script.game))


def caged(content: bytes, folder: Path) -> SandboxedGame:
    """The game of a zip, every verb in the sandbox."""
    uploaded = read_zip(io.BytesIO(content))
    place = uploaded.unpack(folder / "game")
    return SandboxedGame(place, uploaded.declaration, partial(run_files, accept_uncounted=True))


@pytest.fixture
def uploaded(projects: Path, tmp_path: Path, sandbox: str) -> Callable[[Script], Game]:
    return lambda script: caged(pack(package(projects, script)), tmp_path)


class Played:
    """A script, played in memory; the files of every answer by attacker."""

    def __init__(self, game: Game, script: Script) -> None:
        self.script = script
        self.round = Rehearsal(game, script.sources, script.teams, script.params, seed="outside")
        self.answers: dict[str, Files] = {}
        self.said: list[str] = []
        """Of what was refused."""
        self.refuse(script.refused_upload, self.given(0), partial(self.round.enter, 0))
        for seat, (team, upload) in enumerate(script.uploads.items()):
            entered = self.round.enter(seat, upload.make(self.given(seat)), variant=upload.variant)
            assert entered.problems == () and entered.target.key == team
        asked = self.asked(script.teams[1], 1)
        self.refuse(script.refused_answer, asked, partial(self.round.answer, 1))
        for seat, (team, make) in enumerate(script.answers.items()):
            self.answer(seat, make(self.asked(team, seat)), team)
        for name in script.house_attacks:
            self.answer(len(script.teams), self.round.attack(name, len(script.teams)), name)

    def refuse(self, refused: Refused | None, given: Any, offer: Callable[[Files], Any]) -> None:
        if refused is None:
            return
        problems = offer(refused.make(given)).problems
        assert {problem.code for problem in problems} == set(refused.codes)
        self.said += map(str, problems)

    def given(self, seat: int) -> Files:
        return contents(self.round.seat(seat, "team").files)

    def asked(self, team: str, seat: int) -> Asked:
        targets = {target.key: contents(target.published) for target in self.round.targets()}
        return Asked(targets, self.given(seat), team)

    def answer(self, seat: int, files: Files, attacker: str) -> None:
        assert self.round.answer(seat, files, attacker).problems == ()
        self.answers[attacker] = files

    def figures(self) -> dict[Place, dict[str, Any]]:
        return {
            tuple(cell[:3]): {"risk": cell.result.risk, **cell.result.numbers} for cell in self.round.cells
        }

    def secret(self, key: str) -> Files:
        return contents(self.round.entries[key].target.secret)

    def boards(self) -> dict[str, list[tuple[str, dict[str, Any]]]]:
        return {
            board.name: [(row.key, dict(row.values)) for row in board.rows] for board in self.round.boards()
        }

    def everything(self) -> dict[str, Any]:
        """Every byte and number of the round."""
        made = [(scope, dict(files)) for scope, files in self.round.made()]
        entries = {key: (dict(one.measures), one.verdict) for key, one in self.round.entries.items()}
        boards = [(board[:2], [tuple(row) for row in board.rows]) for board in self.round.boards()]
        return {
            "facts": dict(self.round.facts), "made": made, "answers": self.answers,
            "said": self.said, "entries": entries, "cells": every_cell(self.round), "boards": boards,
        }  # fmt: skip


def every_cell(round_: Rehearsal) -> dict[Any, Any]:
    return {
        cell[:3]: cell.result._replace(
            evidence={name: np.asarray(found).tolist() for name, found in cell.result.evidence.items()}
        )
        for cell in round_.cells
    }


def agrees(got: Mapping[str, Any], stated: Mapping[str, float]) -> bool:
    return {name: got[name] for name in stated} == pytest.approx(dict(stated), rel=0, abs=1e-9)


@each_script
def test_a_wheel_gives_the_stated_numbers(script: Script, installed: Callable[[Script], Game]) -> None:
    played = Played(installed(script), script)
    for team, upload in script.uploads.items():
        entered = played.round.entries[team]
        assert agrees(entered.measures, upload.measures), team
        assert entered.verdict.utility == pytest.approx(upload.utility, rel=0, abs=1e-9)
    figures = played.figures()
    for place, stated in script.results.items():
        assert agrees(figures[place], stated), place
    for (attacker, target, challenge), got in figures.items():
        again = script.recount(challenge, played.answers[attacker], target, played.secret(target))
        assert agrees(got, again), (attacker, target, challenge)
    boards = played.boards()
    expected = script.boards({place: one["risk"] for place, one in figures.items()})
    assert {name: [key for key, _ in rows] for name, rows in boards.items()} == {
        name: [key for key, _ in rows] for name, rows in expected.items()
    }
    for name, rows in expected.items():
        for (key, stated), (_, got) in zip(rows, boards[name], strict=True):
            assert agrees(got, stated), (name, key)


@pytest.mark.slow
@each_script
def test_a_wheel_and_a_zip_give_equal_bytes_and_numbers(
    script: Script, installed: Callable[[Script], Game], uploaded: Callable[[Script], Game]
) -> None:
    plain, inside = (Played(make(script), script) for make in (installed, uploaded))
    for played in (plain, inside):
        seat = len(script.teams)
        name, params = script.house_methods[-1]
        entry = played.round.anonymize(name, seat, params)
        assert played.round.enter(seat, entry, variant=params.get("variant", 0)).problems == ()
        attack = played.round.declared.attacks[-1].name
        played.answer(seat, played.round.attack(attack, seat), f"{attack} again")
    assert inside.everything() == plain.everything()


@each_script
def test_a_stored_round_is_judged_again_with_the_same_outcome(
    script: Script, installed: Callable[[Script], Game], tmp_path: Path
) -> None:
    game = installed(script)
    played = Played(game, script)
    write_round(tmp_path, played.round)
    for key, entered in played.round.entries.items():
        write_entry(tmp_path, key, entered)
    for attacker, files in played.answers.items():
        cells = tuple(cell for cell in played.round.cells if cell.attacker == attacker)
        write_answer(tmp_path, attacker, files, cells)
    stored = read_round(tmp_path, game)
    assert every_cell(stored) == every_cell(played.round)
    stored.cells.clear()
    for attacker, files in played.answers.items():
        seat = script.teams.index(attacker) if attacker in script.teams else len(script.teams)
        assert stored.answer(seat, files, attacker).problems == ()
    assert every_cell(stored) == every_cell(played.round)
    assert [tuple(row) for board in stored.boards() for row in board.rows] == [
        tuple(row) for board in played.round.boards() for row in board.rows
    ]


def test_wheels_are_found_by_their_entry_points_and_hold_what_zips_hold(site: Path, projects: Path) -> None:
    games = installed_games()
    for script in OURS:
        folder = games[script.game]
        assert folder.is_relative_to(site)
        assert pack(folder) == pack(package(projects, script))


def test_without_their_wheels_they_are_not_found() -> None:
    assert not {script.game for script in OURS} & set(installed_games())


@each_script
def test_every_law_holds_for_the_folder(script: Script, projects: Path) -> None:
    findings = checked(package(projects, script))
    assert {finding.law: finding.detail for finding in findings if finding.detail} == {}
    untried = set() if read_folder(package(projects, script)).pictures else {"pictures"}
    if script is TWO_KEYS:
        untried.add("row-order")  # its rows are those of a table that attackers seek
    assert {finding.law for finding in findings if finding.holds is None} == untried


@pytest.mark.slow
@each_script
def test_every_law_holds_for_the_zip(
    script: Script, projects: Path, tmp_path: Path, sandbox: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "game.zip"
    assert main(["game", "pack", str(package(projects, script)), "--out", str(out)]) == 0
    assert main(["game", "test", str(out)]) == 0
    assert "All laws hold." in capsys.readouterr().out


@each_script
def test_everything_that_is_shown_is_in_both_languages(script: Script, projects: Path) -> None:
    folder = package(projects, script)
    declared = load_folder(folder).declaration
    assert set(declared.texts) == {"en", "ja"}
    assert all((folder / name).read_text(encoding="utf-8").strip() for name in declared.texts.values())
    if script is LANTERN:
        return  # `game new` leaves the Japanese title to whoever makes a game
    numbers = [*declared.measures, *(one for part in declared.challenges for one in part.numbers)]
    titled: list[Any] = [*numbers, *declared.methods, *declared.attacks, *declared.challenges]
    texts = [declared.title, declared.people, *(one.title for one in titled)]
    texts += [one.question for one in declared.challenges] + [one.formula for one in declared.rules]
    texts += [*declared.messages.values(), *(file.meaning for file in declared.files if file.meaning)]
    assert [text for text in texts if set(text) != {"en", "ja"}] == []


@each_script
def test_a_preset_names_a_rule_and_parameters_that_there_are(script: Script, projects: Path) -> None:
    folder = package(projects, script)
    declared = load_folder(folder).declaration
    settings = {setting.name: setting for setting in declared.parameters}
    for name in declared.presets:
        preset = Document((folder / name).read_text(encoding="utf-8"), name, A_GAME()).data
        declared.rule(preset["rule"])
        for parameter, value in preset["parameters"].items():
            settings[parameter].checked(value)


@pytest.mark.parametrize("decimals", [1, 2, 6])
def test_roll_calls_statistics_are_those_of_scikit_learn_and_scipy(projects: Path, decimals: int) -> None:
    """`roc_curve` with all points, `roc_auc_score`, `ks_2samp`; `kendalltau` where no values are equal."""
    game = load_folder(package(projects, ROLL_CALL))
    module = sys.modules[type(game).__module__]
    rng = np.random.default_rng(decimals)
    for _ in range(50):
        n = int(rng.integers(4, 300))
        member = rng.permutation(np.arange(n) < rng.integers(1, n))
        scores = np.round(np.clip(rng.normal(member * 0.5, 1), -3, 3), decimals)
        fpr, tpr, _ = roc_curve(member, scores, drop_intermediate=False)
        assert module.tpr_at(scores, member, 0.01) == tpr[fpr <= 0.01].max()
        assert module.auc(scores, member) == pytest.approx(roc_auc_score(member, scores), rel=1e-12)
        x, y = scores[member], scores[~member]
        assert module.furthest(x, y) == pytest.approx(stats.ks_2samp(x, y).statistic, abs=1e-15)
        ranks, others = rng.permutation(n), rng.permutation(n)
        assert module.kendall(ranks, others) == pytest.approx(
            stats.kendalltau(ranks, others).statistic, abs=1e-12
        )


def test_two_keys_keeps_aside_whom_the_key_says(projects: Path) -> None:
    """The twelve smallest of SHA-256(key, space, id), as anybody can count once the key is open."""
    round_ = Rehearsal(load_folder(package(projects, TWO_KEYS)), TWO_KEYS.sources, TWO_KEYS.teams)
    hashes = {one: hashlib.sha256(f"two foxes at dusk {one}".encode()).digest() for one in range(1, 61)}
    aside = [int(line.split(b",")[0]) for line in round_.round_files["holdout.csv"].splitlines()[1:]]
    assert aside == sorted(sorted(hashes, key=hashes.get)[:12])
    for files in round_.seat_files.values():
        for variant in (0, 1):
            ids = {int(line) for line in files[f"ids_{variant}.csv"].split()[1:]}
            assert len(ids) == 12 and not ids & set(aside)
    before = round_.world(secret=False).public.names()
    assert before == [] and {"key.txt", "holdout.csv"} <= set(round_.world(moment="reveal").public.names())


def test_two_keys_can_be_played_without_a_penalty(projects: Path) -> None:
    played = Played(load_folder(package(projects, TWO_KEYS)), TWO_KEYS)
    main_board = played.round.boards("no-penalty")[0]
    assert {row.key: row.values["total"] for row in main_board.rows} == {
        "badger": 148.75, "hare": 134.375, "fox": 100.0,
    }  # fmt: skip


def test_an_unchanged_codabench_bundle_gives_the_stated_numbers(tmp_path: Path, sandbox: str) -> None:
    played = Played(caged(bundle_zip(), tmp_path), CODABENCH)
    assert played.round.declared.name == CODABENCH.game
    figures = played.figures()
    assert set(figures) == set(CODABENCH.results)
    assert all(agrees(figures[place], stated) for place, stated in CODABENCH.results.items())
    ((name, rows),) = played.boards().items()
    expected = CODABENCH.boards({})[name]
    assert [key for key, _ in rows] == [key for key, _ in expected]
    assert all(agrees(got, stated) for (_, stated), (_, got) in zip(expected, rows, strict=True))
