"""SNAKE: the organisers' golden numbers, tasks that are brought or made, and what is wrong with an answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from datasets.problems import BadFiles
from games.contract.boxes import MemoryBox
from games.laws import checked
from games.loading import load_folder, read_folder
from games.rehearsal import Rehearsal
from games.seek.statistics import weighted_advantage
from games.snake.survey import prepared
from tests.conftest import ROOT

FOLDER = ROOT / "games" / "snake"
TEAMS = ("aki", "haru")
NAMES = (
    "age", "agechild", "citistat", "female", "married", "ownchild", "wbhaom", "gradeatn", "cow1", "ftptstat",
    "statefips", "hoursut", "faminc", "mind16", "mocc10",
)  # fmt: skip


def table(rows: list[tuple[Any, ...]], *before: str) -> bytes:
    """Rows of a survey whose columns after the age are all the same."""
    head = ",".join((*before, *NAMES))
    return (head + "\n" + "".join(",".join(map(str, row)) + ",1" * 14 + "\n" for row in rows)).encode()


def brought(n: int = 100, truth: str = "truth", labels: bytes | None = None) -> dict[str, bytes]:
    """One task about n households of one record each, of which those of even number are members."""
    households = [f"h{number}" for number in range(n)]
    return {
        "survey.csv": table([(one, "2005-01", 40) for one in households], "household", "month"),
        "mst_1_synthetic.csv": table([(40,), (41,)]),
        "mst_1_targets.csv": table([(one, 40) for one in households], "household"),
        "mst_1_targets_index.txt": "".join(f"{one}\n" for one in households).encode(),
        f"mst_1_{truth}.txt": labels or ("1\n0\n" * (n // 2)).encode(),
    }


def test_the_laws_hold() -> None:
    findings = {finding.law: finding for finding in checked(FOLDER)}
    assert {law: finding.detail for law, finding in findings.items() if finding.holds is False} == {}
    off = set(read_folder(FOLDER).laws_off)
    assert {law for law, finding in findings.items() if finding.holds is None} == off


@pytest.mark.parametrize("name", ["uniform", "hard01", "all_one", "perfect"])
def test_scores_are_those_of_the_organisers_program(shared_data: Path, name: str) -> None:
    """golden.json holds the output of the SNAKE program 1.0.2 under scikit-learn 1.9.0."""
    folder = shared_data / "attack_only" / "snake"
    golden = json.loads((folder / "golden.json").read_text(encoding="utf-8"))
    round_ = Rehearsal(load_folder(FOLDER), brought(labels=(folder / "truth_mst_1.txt").read_bytes()), TEAMS)
    answered = round_.answer(0, {"mst_1.txt": (folder / f"guess_{name}.txt").read_bytes()})
    (cell,) = answered.cells
    assert cell.result.numbers["score"] == golden[name]["membership_advantage"]
    (row,) = round_.boards("mean")[0].rows
    assert row.values["mean"] == golden[name]["membership_advantage"]


def test_all_one_half_is_an_error_there_and_one_half_here(shared_data: Path) -> None:
    folder = shared_data / "attack_only" / "snake"
    golden = json.loads((folder / "golden.json").read_text(encoding="utf-8"))
    assert golden["half"]["membership_advantage"] is None
    scores, truth = (np.loadtxt(folder / name) for name in ("guess_half.txt", "truth_mst_1.txt"))
    assert weighted_advantage(scores, truth, 0.1) == 0.5


def test_a_brought_task_keeps_its_truth_until_the_reveal() -> None:
    extra = {"mst_1_training.csv": table([(40,)]), "mst_1_seed.txt": b"any bytes"}
    round_ = Rehearsal(load_folder(FOLDER), brought() | extra, TEAMS)
    (target,) = round_.targets()
    assert (target.key, target.labels) == ("mst_1", {"generator": "mst", "epsilon": "1"})
    assert target.published.names() == ["synthetic.csv", "targets.csv", "targets_index.txt"]
    kept = round_.entries["mst_1"].target.secret.names()
    assert kept == ["seed.txt", "training.csv", "truth.txt"]
    declared = {file.name: file for file in round_.declared.files_of("entry")}
    assert all(declared[name].committed and declared[name].shown.all == "reveal" for name in kept)
    for attack in round_.declared.attacks:
        assert round_.answer(0, round_.attack(attack.name, 0), attack.name).problems == ()


def test_an_open_task_is_judged_and_counts_nowhere() -> None:
    round_ = Rehearsal(load_folder(FOLDER), brought(4, "known"), TEAMS)
    assert "known.txt" in round_.targets()[0].published.names()
    (cell,) = round_.answer(0, {"mst_1.txt": b"1\n0\n1\n0\n"}).cells
    assert cell.result.risk == 1
    assert round_.boards() == []


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"mst_1_truth.txt": b"1\n0\n"}, r"mst_1_truth.txt: got '2 lines', expected 4 rows, as mst_1"),
        ({"mst_1_truth.txt": b"1\n0\n2\n0\n"}, r"mst_1_truth.txt, line 3, column member: got '2'"),
        ({"mst_1_truth.txt": None}, r"expected a file mst_1_truth.txt / mst_1_known.txt"),
        ({"mst_1_known.txt": b"1\n0\n1\n0\n"}, r"expected a file mst_1_truth.txt / mst_1_known.txt"),
        ({"survey.csv": None}, r"survey.csv: expected a file survey.csv"),
        ({"mst_1_notes.txt": b"?"}, r"mst_1_notes.txt: expected only"),
    ],
)  # fmt: skip
def test_what_organisers_bring_is_checked(changed: dict[str, bytes | None], said: str) -> None:
    files = {name: content for name, content in (brought(4) | changed).items() if content is not None}
    with pytest.raises(BadFiles, match=said):
        Rehearsal(load_folder(FOLDER), files, TEAMS)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"mst_1.txt": b"1\n0\n1\n"}, "mst_1.txt, line 4: expected 4 lines, one per challenge point"),
        ({"mst_1.txt": b"1\n0\n1\n-0.1\n"}, "mst_1.txt, line 4, column score: got '-0.1'"),
        ({"mst_2.txt": b"1\n0\n1\n0\n"}, "mst_2.txt: expected only"),
        ({"link.txt": b"https://example.org/a\n"}, "{target}.txt: expected an answer to at least one task"),
        ({"mst_1.txt": b"1\n0\n1\n0\n", "link.txt": b"a\nb\n"}, "link.txt: got '2 lines', expected 1 rows"),
        ({}, "{target}.txt, link.txt: expected a file"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_an_answer_is_located(answer: dict[str, bytes], said: str) -> None:
    answered = Rehearsal(load_folder(FOLDER), brought(4), TEAMS).answer(0, answer)
    assert answered.cells == ()
    assert said in str(answered.problems[0])


def test_every_task_must_be_answered() -> None:
    round_ = Rehearsal(load_folder(FOLDER), {}, TEAMS)
    keys = [target.key for target in round_.targets()]
    assert keys == ["chain_1", "chain_1000", "marginals_1", "marginals_1000"]
    answered = round_.answer(0, {f"{key}.txt": b"0.5\n" * 20 for key in keys[1:]})
    assert [problem.file for problem in answered.problems] == ["chain_1.txt"]
    assert "each of the 4 tasks" in str(answered.problems[0])


def test_a_made_task_is_as_the_contest_makes_it() -> None:
    round_ = Rehearsal(load_folder(FOLDER), {}, TEAMS)
    game: Any = round_.game
    base = game.table(round_.world().public, "base.csv", "round")
    for target in round_._entered_targets():
        index = game.table(target.published, "targets_index.txt")["household"]
        asked = game.table(target.published, "targets.csv")["household"]
        truth = game.labels_of(target)
        sizes = [int((base["household"] == one).sum()) for one in index]
        assert (len(index), truth.sum(), min(sizes)) == (20, 10, min(sizes)) and min(sizes) >= 5
        assert [int((asked == one).sum()) for one in index] == sizes
        training = game.table(target.secret, "training.csv")
        lost = sum(size for size, label in zip(sizes, truth, strict=True) if not label)
        assert len(training["age"]) == 300 - lost
        assert len(game.table(target.published, "synthetic.csv")["age"]) == 300
        assert json.loads(target.secret.open("seed.txt").read())["bit_generator"] == "PCG64"


def test_the_survey_becomes_the_base_table_by_hand() -> None:
    """h1 has more complete adults in its second month; h2 as many in both, so that the first counts."""
    rows = [
        ("h1", "1", 30), ("h1", "2", 30), ("h1", "2", 31), ("h1", "1", 9), ("h1", "1", ""),
        ("h2", "1", 50), ("h2", "2", 51), ("h3", "1", 15),
    ]  # fmt: skip
    game: Any = load_folder(FOLDER)
    survey = game.table(MemoryBox({"survey.csv": table(rows, "household", "month")}), "survey.csv", "round")
    base = prepared(survey, NAMES, 16)
    assert list(zip(base["household"].tolist(), base["age"].tolist(), strict=True)) == [
        ("h1", 30), ("h1", 31), ("h2", 50),
    ]  # fmt: skip


def test_teams_of_the_organisers_win_no_task() -> None:
    round_ = Rehearsal(load_folder(FOLDER), brought(4), TEAMS)
    round_.answer(0, {"mst_1.txt": b"1\n0\n1\n0\n"})
    round_.answer(1, {"mst_1.txt": b"1\n0\n1\n1\n"})
    hidden = [one._replace(state="house") if one.team == "aki" else one for one in round_.hidden()]
    board, *_ = round_.game.tally("tasks-won", round_.params, hidden, lambda: iter(round_.cells), {})
    assert [(row.key, row.values["won"], row.chain is None) for row in board.rows] == [
        ("haru", 1, False), ("aki", None, True),
    ]  # fmt: skip


def test_presets_name_declared_rules_and_legal_parameters() -> None:
    declared = read_folder(FOLDER)
    settings = {setting.name: setting for setting in declared.parameters}
    assert declared.presets
    for path in declared.presets:
        preset = yaml.safe_load((FOLDER / path).read_text(encoding="utf-8"))
        assert declared.rule(preset["rule"])
        for name, value in preset["parameters"].items():
            assert settings[name].checked(value) == value
