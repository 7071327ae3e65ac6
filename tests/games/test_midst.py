"""MIDST: the organisers' golden numbers on real challenge points, tracks and types, and answers."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from datasets.problems import BadFiles
from games.laws import checked
from games.loading import load_folder, read_folder
from games.rehearsal import Rehearsal
from tests.conftest import ROOT

FOLDER = ROOT / "games" / "midst"
TEAMS = ("aki", "haru")
ROW = "trans_date,trans_type,operation,amount,balance,k_symbol,bank,account"
ANSWERS = ("rmia", "rmia_2dec", "constant", "random", "leaky", "inverted", "binary_guess")
OF_SUMS = {"rmia_2dec": 0.489678125, "random": 0.497588}
"""AUCs of which the golden value differs in its last digit: theirs is a sum of trapezoids in floating point,
ours the exact fraction, rounded once."""


def unpacked(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes())


@pytest.fixture
def published(shared_data: Path) -> Path:
    return shared_data / "attack_only" / "midst"


def real_answers(folder: Path) -> dict[str, dict[str, np.ndarray]]:
    """The labels, and the answers of golden.json as its README describes them, by model."""
    rows = list(csv.DictReader(io.StringIO(unpacked(folder / "tabddpm_black_box_dev.csv.gz").decode())))
    rmia = np.array([float(row["rmia"]) for row in rows])
    columns = {
        "labels": np.array([int(row["is_train"]) for row in rows]),
        "rmia": rmia,
        "rmia_2dec": np.round(rmia, 2),
        "constant": np.full(len(rmia), 0.5),
        "inverted": 1 - rmia,
        "binary_guess": (rmia > np.median(rmia)).astype(float),
    }
    for name in ("random", "leaky"):
        columns[name] = np.array(unpacked(folder / f"pred_dev_{name}.txt.gz").split(), dtype=float)
    models = np.array([row["model"] for row in rows])
    return {
        name: {model: values[models == model] for model in sorted(set(models.tolist()))}
        for name, values in columns.items()
    }


def lines(values: Any) -> bytes:
    return "".join(f"{value!r}\n" for value in np.asarray(values).tolist()).encode()


def model(labels: Any, truth: str = "challenge_label") -> dict[str, bytes]:
    """The files of a model with one challenge row per label."""
    ids = "".join(f"{number},1,5,2,1,10.5,7.5,3,0,0\n" for number in range(len(labels)))
    return {
        "trans_synthetic.csv": f"{ROW}\n5.5,2,1,10.5,7.25,3,0,0.0\n6,2,1,1.5,7,3,0,0\n".encode(),
        "challenge_with_id.csv": f"trans_id,account_id,{ROW}\n{ids}".encode(),
        f"{truth}.csv": b"is_train\n" + lines(labels),
    }


def sources(models: dict[str, dict[str, bytes]]) -> dict[str, bytes]:
    return {f"{key}/{name}": content for key, files in models.items() for name, content in files.items()}


def test_the_laws_hold() -> None:
    findings = {finding.law: finding for finding in checked(FOLDER)}
    assert {law: finding.detail for law, finding in findings.items() if finding.holds is False} == {}
    off = set(read_folder(FOLDER).laws_off)
    assert {law for law, finding in findings.items() if finding.holds is None} == off


@pytest.fixture
def round_of_the_contest(published: Path) -> Iterator[Rehearsal]:
    """The twenty dev models of the black-box single-table track, with their published labels."""
    labels = real_answers(published)["labels"]
    files = sources({f"tabddpm_black_box/dev/{key}": model(values) for key, values in labels.items()})
    yield Rehearsal(load_folder(FOLDER), files, TEAMS)


def test_boards_show_the_scores_of_the_organisers_function(
    published: Path, round_of_the_contest: Rehearsal
) -> None:
    """golden.json: ``tpr_at_fpr`` is their function, ``tpr_le_all_points`` "at most 10 %" over all points."""
    golden = json.loads((published / "golden.json").read_text(encoding="utf-8"))
    given = real_answers(published)
    for name in ANSWERS:
        files = {
            f"tabddpm_black_box/dev/{key}/prediction.csv": lines(values)
            for key, values in given[name].items()
        }
        assert round_of_the_contest.answer(0, files, name).problems == ()
    board, information, _tasks = round_of_the_contest.boards("best-group")
    assert (board.name, board.columns) == ("black-single", ("score", "tabddpm_black_box"))
    rows = {row.key: row.values for row in board.rows}
    also = {row.key: row.values for row in information.rows}
    assert set(rows) == set(golden) == set(ANSWERS)
    for name in ANSWERS:
        assert rows[name]["score"] == golden[name]["tpr_at_fpr"]
        assert also[name]["tpr-at-most"] == golden[name]["tpr_le_all_points"]
        assert also[name]["auc"] == OF_SUMS.get(name, golden[name]["auc"])
        assert also[name]["auc"] == pytest.approx(golden[name]["auc"], abs=1e-16)
    best = [row.key for row in board.rows]
    assert best[:3] == ["leaky", "inverted", "random"]


def test_the_corrected_form_is_what_the_pages_say(published: Path) -> None:
    given, golden = real_answers(published), json.loads((published / "golden.json").read_text("utf-8"))
    files = sources(
        {f"tabddpm_black_box/dev/{key}": model(values) for key, values in given["labels"].items()}
    )
    preset = yaml.safe_load((FOLDER / "presets/midst-corrected.yaml").read_text(encoding="utf-8"))
    round_ = Rehearsal(load_folder(FOLDER), files, TEAMS, preset["parameters"])
    answer = {
        f"tabddpm_black_box/dev/{key}/prediction.csv": lines(values) for key, values in given["leaky"].items()
    }
    round_.answer(0, answer)
    (row,) = round_.boards("best-group")[0].rows
    assert row.values["score"] == golden["leaky"]["tpr_le_all_points"] == 0.1555


def test_house_attacks_answer_about_real_releases(published: Path) -> None:
    """With the first thousand rows of each release, to be quick."""
    labels = real_answers(published)["labels"]
    models = {}
    for name in ("tabddpm_51", "tabddpm_52"):
        released = unpacked(published / f"{name}_trans_synthetic.csv.gz").splitlines(keepends=True)
        models[f"tabddpm_black_box/dev/{name}"] = {
            "trans_synthetic.csv": b"".join(released[:1001]),
            "challenge_with_id.csv": unpacked(published / f"{name}_challenge_with_id.csv.gz"),
            "challenge_label.csv": b"is_train\n" + lines(labels[name]),
        }
    round_ = Rehearsal(load_folder(FOLDER), sources(models), TEAMS)
    for attack in ("nearest", "shadow"):
        answered = round_.answer(0, round_.attack(attack, 0), attack)
        assert [cell.target for cell in answered.cells] == sorted(models)
    for row in round_.boards("best-group")[0].rows:
        assert row.chain is None and 0 <= row.values["score"] <= 1


LABELS = [1, 0, 1, 0]
HALVES = b"0.5\n" * 4
FOUR = {
    "a_black_box/dev/a_1": model(LABELS), "a_black_box/dev/a_2": model(LABELS),
    "b_black_box/dev/b_1": model(LABELS), "clavaddpm_white_box/dev/c_1": model(LABELS),
    "a_black_box/final/a_9": model(LABELS), "a_black_box/train/a_0": model(LABELS, "open_label"),
}  # fmt: skip


def answer_to(*keys: str, scores: bytes = HALVES) -> dict[str, bytes]:
    return {f"{key}/prediction.csv": scores for key in keys}


def test_tracks_types_and_phases_come_from_the_path() -> None:
    round_ = Rehearsal(load_folder(FOLDER), sources(FOUR), TEAMS)
    right = b"1\n0\n0.9\n0.1\n"
    round_.answer(0, answer_to("a_black_box/dev/a_1", "a_black_box/dev/a_2"))
    round_.answer(1, answer_to("b_black_box/dev/b_1", "clavaddpm_white_box/dev/c_1", scores=right))
    round_.answer(0, answer_to("a_black_box/train/a_0", "a_black_box/final/a_9", scores=right))
    boards = {board.name: board for board in round_.boards("best-group")}
    rows = {row.key: row.values for row in boards["black-single"].rows}
    assert rows["aki"] == {"score": 0, "a_black_box": 0, "b_black_box": None}
    assert rows["haru"] == {"score": 1, "a_black_box": None, "b_black_box": 1}
    assert [row.key for row in boards["white-multi"].rows] == ["haru"]
    assert set(boards) == {
        f"{track}{part}"
        for track in ("black-single", "white-multi")
        for part in ("", "-information", "-tasks")
    }


def test_another_round_counts_the_final_models() -> None:
    round_ = Rehearsal(load_folder(FOLDER), sources(FOUR), TEAMS, {"phase": "final"})
    round_.answer(0, answer_to("a_black_box/final/a_9", scores=b"1\n0\n1\n0\n"))
    board, *_ = round_.boards("best-group")
    assert [(row.key, row.values["score"]) for row in board.rows] == [("aki", 1)]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (answer_to("a_black_box/dev/a_1"),
         "a_black_box/dev/a_2/prediction.csv: expected a file for each of the 2 tasks of the group a"),
        (answer_to("b_black_box/dev/b_1", scores=HALVES + b"1\n"),
         "b_black_box/dev/b_1/prediction.csv, line 5: expected 4 lines"),
        (answer_to("b_black_box/dev/b_1", scores=b"0.5\n0.5\nnan\n0.5\n"),
         "b_black_box/dev/b_1/prediction.csv, line 3, column score: got 'nan'"),
        (answer_to("c_black_box/dev/b_1"), "c_black_box/dev/b_1/prediction.csv: expected only"),
        (answer_to("b_1"), "b_1/prediction.csv: expected only"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_an_answer_is_located(answer: dict[str, bytes], said: str) -> None:
    answered = Rehearsal(load_folder(FOLDER), sources(FOUR), TEAMS).answer(0, answer)
    assert answered.cells == ()
    assert said in str(answered.problems[0])


@pytest.mark.parametrize(
    ("models", "said"),
    [
        ({"a_1": model(LABELS)}, "expected a file TYPE_black_box/PHASE/MODEL/challenge_with_id.csv"),
        ({"a_black_box/dev/a_1": model(LABELS) | {"challenge_label.csv": b"is_train\n1\n"}},
         "challenge_label.csv: got '1 lines', expected 4 rows"),
        ({"a_black_box/dev/a_1": model(LABELS) | {"open_label.csv": b"is_train\n1\n0\n1\n0\n"}},
         "expected a file a_black_box/dev/a_1/challenge_label.csv / "),
    ],
)  # fmt: skip
def test_what_organisers_bring_is_checked(models: dict[str, dict[str, bytes]], said: str) -> None:
    with pytest.raises(BadFiles, match=said):
        Rehearsal(load_folder(FOLDER), sources(models), TEAMS)


def test_made_models_are_as_the_contest_makes_them() -> None:
    round_ = Rehearsal(load_folder(FOLDER), {}, TEAMS, {"accesses": "black, white", "open-models": 1})
    game: Any = round_.game
    targets = round_._entered_targets()
    assert len(targets) == 2 * 2 * 3
    for target in targets:
        is_open = "open" in target.labels
        assert is_open == (target.labels["phase"] == "train")
        box, name = (target.published, "open_train.csv") if is_open else (target.secret, "train_with_id.csv")
        trained = game.table(box, name)["trans_id"].tolist()
        asked = game.table(target.published, "challenge_with_id.csv")["trans_id"]
        truth = game.labels_of(target)
        assert (len(asked), truth.sum(), len(set(trained))) == (40, 20, 200)
        assert np.isin(asked, trained).tolist() == (truth == 1).tolist()
        assert is_open or target.secret.names() == ["challenge_label.csv", "train_with_id.csv"]


def test_presets_name_declared_rules_and_legal_parameters() -> None:
    declared = read_folder(FOLDER)
    settings = {setting.name: setting for setting in declared.parameters}
    assert len(declared.presets) == 3
    for path in declared.presets:
        preset = yaml.safe_load((FOLDER / path).read_text(encoding="utf-8"))
        assert declared.rule(preset["rule"])
        for name, value in preset["parameters"].items():
            assert settings[name].checked(value) == value
