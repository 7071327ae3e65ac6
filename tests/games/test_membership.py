"""The membership contest: any table, tasks that are brought or made, three rates, releases without a seed."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any

import numpy as np
import pytest
import yaml
from sklearn.datasets import load_iris
from sklearn.metrics import roc_auc_score, roc_curve

from datasets.problems import BadFiles
from games.laws import checked
from games.loading import load_folder, read_folder
from games.membership.loose import texts_of
from games.membership.tasks import planned
from games.rehearsal import Rehearsal
from games.seek.private_counts import NoOpenDP
from games.seek.synthesis import GENERATORS, UNSEEDED
from tests.conftest import ROOT, missing

FOLDER = ROOT / "games" / "membership"
TEAMS = ("aki", "haru")
SMALL = {"people": 120, "candidates": 20, "training-rows": 40, "released-rows": 30, "open-splits": 0}


def played(files: dict[str, bytes] | None = None, **params: Any) -> Rehearsal:
    return Rehearsal(load_folder(FOLDER), files or {}, TEAMS, SMALL | params)


def iris() -> bytes:
    """Fisher's table as scikit-learn ships it."""
    data = load_iris()
    rows = zip(data.data.tolist(), data.target.tolist(), strict=True)
    lines = [",".join(map(str, (*numbers, data.target_names[kind]))) for numbers, kind in rows]
    return ("sepal,width,petal,petal width,species\n" + "\n".join(lines) + "\n").encode()


def brought(truth: str = "truth") -> dict[str, bytes]:
    return {
        "tasks/mst_eps1/released.csv": b"age,city\n30,x\n40,y\n",
        "tasks/mst_eps1/candidates.csv": b"unit,age,city\nh1,30,x\nh1,31,\nh2,40,z\n",
        "tasks/mst_eps1/units.txt": b"h2\nh1\n",
        f"tasks/mst_eps1/{truth}.txt": b"0\n1\n",
    }


def test_the_laws_hold() -> None:
    findings = {finding.law: finding for finding in checked(FOLDER)}
    assert {law: finding.detail for law, finding in findings.items() if finding.holds is False} == {}
    off = set(read_folder(FOLDER).laws_off)
    assert {law for law, finding in findings.items() if finding.holds is None} == off


@pytest.mark.parametrize("generator", GENERATORS)
def test_every_generator_makes_tasks_of_a_table_that_nobody_declared(generator: str) -> None:
    round_ = played({"table.csv": iris()}, generators=generator)
    game: Any = round_.game
    (target,) = round_._entered_targets()
    schema = game._schema(round_.world().public)
    assert schema == {
        "sepal": "number", "width": "number", "petal": "number", "petal width": "number",
        "species": "category",
    }  # fmt: skip
    released = texts_of(target.published.open("released.csv").read(), "released.csv")
    original = texts_of(iris(), "table.csv")
    assert list(released) == list(original)
    for name, cells in released.items():
        assert len(cells) == 30 and set(cells) <= set(original[name])
    truth = game.labels_of(target)
    assert (len(truth), truth.sum()) == (20, 10)


def test_members_are_in_the_training_set_and_the_others_are_not() -> None:
    """Units are rows of the table, counted from 1; 120 invented rows are all different."""
    round_ = played()
    game: Any = round_.game
    people = texts_of(round_.world().public.open("population.csv").read(), "population.csv")
    rows = list(zip(*(people[name] for name in people if name != "unit"), strict=True))
    assert len(set(rows)) == 120
    for target in round_._entered_targets():
        trained = texts_of(target.secret.open("training.csv").read(), "training.csv")
        inside = set(zip(*trained.values(), strict=True))
        units = game.table(target.published, "units.txt")["unit"]
        found = [rows[int(unit) - 1] in inside for unit in units.tolist()]
        assert found == (game.labels_of(target) == 1).tolist()
        assert len(trained["age"]) == 40


def test_rows_of_a_unit_are_asked_about_together() -> None:
    lines = [f"home{row // 3},{row},{'ab'[row % 2]}" for row in range(90)]
    table = ("home,value,letter\n" + "\n".join(lines) + "\n").encode()
    params = {"unit-column": "home", "generators": "chain", "candidates": 10, "training-rows": 40}
    round_ = played({"table.csv": table}, **params)
    (target,) = round_._entered_targets()
    asked = texts_of(target.published.open("candidates.csv").read(), "candidates.csv")
    units = target.published.open("units.txt").read().decode().split()
    assert asked["unit"].tolist() == [unit for unit in units for _ in range(3)]
    for attack in round_.declared.attacks:
        assert round_.answer(0, round_.attack(attack.name, 0), attack.name).problems == ()


@pytest.mark.parametrize("seed", range(5))
def test_the_numbers_are_those_of_scikit_learn(seed: int) -> None:
    """The three rates on the lines between scikit-learn's operating points, and its AUC."""
    round_ = played(generators="copula", candidates=60, **{"training-rows": 60})
    game: Any = round_.game
    scores = np.round(np.random.default_rng(seed).random(60), 1 + seed % 3)
    answer = "".join(f"{score!r}\n" for score in scores.tolist()).encode()
    (cell,) = round_.answer(0, {"copula_1.txt": answer}).cells
    labels = game.labels_of(round_._entered_targets()[0])
    false, true, _ = roc_curve(labels, scores, drop_intermediate=False)
    for name, rate in (("tpr-1-in-1000", 0.001), ("tpr-1-in-100", 0.01), ("tpr-1-in-10", 0.1)):
        last = np.flatnonzero(false <= rate)[-1]
        expected = np.interp(rate, false[last:], true[last:])
        assert cell.result.numbers[name] == pytest.approx(expected, abs=1e-12)
    assert cell.result.numbers["auc"] == pytest.approx(roc_auc_score(labels, scores), abs=1e-12)


def test_a_copying_generator_is_found_out_and_blind_guessing_finds_nothing() -> None:
    """*blend* copies most cells, and there are four released rows per training row."""
    sizes = {"training-rows": 150, "released-rows": 600}
    round_ = played(generators="blend", people=600, candidates=200, **sizes)
    found = {}
    for attack in ("nearest", "density-ratio", "blind"):
        (cell,) = round_.answer(0, round_.attack(attack, 0), attack).cells
        found[attack] = cell.result.numbers["auc"]
    assert min(found["nearest"], found["density-ratio"]) > 0.7 > 0.6 > found["blind"]


@pytest.mark.parametrize("rule", ["tasks-won", "mean", "pooled"])
def test_every_rule_ranks_the_better_answer_first(rule: str) -> None:
    round_ = played(generators="copula, tree")
    game: Any = round_.game
    truths = {target.key: game.labels_of(target) for target in round_._entered_targets()}
    right = {f"{key}.txt": "".join(f"{one}\n" for one in truth).encode() for key, truth in truths.items()}
    round_.answer(0, dict.fromkeys(right, b"0.5\n" * 20))
    round_.answer(1, right)
    board = round_.boards(rule)[0]
    assert [row.key for row in board.rows] == ["haru", "aki"]
    information = next(board for board in round_.boards(rule) if board.name == "main-information")
    assert information.columns[-3:] == ("tpr-1-in-1000", "tpr-1-in-100", "tpr-1-in-10")
    shown = {row.key: row.values["tpr-1-in-100"] for row in information.rows}
    assert shown == {"aki": 0.01, "haru": 1.0}


def test_a_brought_task_keeps_its_truth_until_the_reveal() -> None:
    round_ = Rehearsal(load_folder(FOLDER), brought(), TEAMS)
    (target,) = round_.targets()
    assert (target.key, target.labels) == ("mst_eps1", {"generator": "mst", "epsilon": "1"})
    assert target.published.names() == ["candidates.csv", "released.csv", "units.txt"]
    (cell,) = round_.answer(0, {"mst_eps1.txt": b"0\n1\n"}).cells
    assert cell.result.risk == 1
    for attack in round_.declared.attacks:
        assert round_.answer(0, round_.attack(attack.name, 0), attack.name).problems == ()


def test_an_open_task_counts_nowhere() -> None:
    round_ = Rehearsal(load_folder(FOLDER), brought("known"), TEAMS)
    assert "known.txt" in round_.targets()[0].published.names()
    (cell,) = round_.answer(0, {"mst_eps1.txt": b"0\n1\n"}).cells
    assert cell.result.risk == 1 and round_.boards() == []


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"tasks/mst_eps1/truth.txt": b"1\n"}, "got '1 lines', expected 2 rows, as tasks/mst_eps1/units.txt"),
        ({"tasks/mst_eps1/units.txt": b"h2\nh3\n"}, "line 2, column unit: got 'h1', expected a value of"),
        ({"tasks/mst_eps1/released.csv": b"age,city\nold,x\n"}, "column age: got 'old', expected an integer"),
        ({"tasks/mst_eps1/released.csv": b"city,age\nx,3\n"}, "expected the header age,city"),
        ({"tasks/mst_eps1/truth.txt": None}, "expected a file tasks/mst_eps1/truth.txt"),
        ({"table.csv": b"age,city\n30,x,1\n"}, "table.csv, line 2: got '3 cells'"),
    ],
)
def test_what_organisers_bring_is_checked(changed: dict[str, bytes | None], said: str) -> None:
    files = {name: content for name, content in (brought() | changed).items() if content is not None}
    with pytest.raises(BadFiles, match=said):
        Rehearsal(load_folder(FOLDER), files, TEAMS)


@pytest.mark.parametrize(
    ("table", "params", "said"),
    [
        (b"a,a\n1,2\n", {}, "line 1: got 2 names of columns"),
        (b"a,b\n1,2\n,3\n", {}, "line 3, column a: got an empty cell, expected a number"),
        (b"a,b\n1,2\n", {"unit-column": "c"}, "unit-column: got 'c', expected one of a, b"),
        (b"unit\n1\n", {}, "got no column besides unit"),
        (iris(), {"generators": "gan"}, "generators: got 'gan', expected some of blend, bootstrap"),
        (iris(), {"generators": "chain", "epsilons": "0"}, "epsilons: got '0', expected positive"),
        (iris(), {"generators": "tree, tree"}, "none of them twice"),
    ],
)
def test_what_cannot_be_played_with_is_named(table: bytes, params: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        played({"table.csv": table}, **params)


def test_codes_and_gaps_are_categories_where_organisers_say_so() -> None:
    table = b"zip,floor,size\n" + b"".join(f"0{row},{row % 3 or ''},{row}\n".encode() for row in range(40))
    kinds = b"column,kind\nfloor,category\n"
    params = {"generators": "marginals", "candidates": 10, "training-rows": 20}
    game: Any = (round_ := played({"table.csv": table, "kinds.csv": kinds}, **params)).game
    schema = game._schema(round_.world().public)
    assert schema == {"zip": "category", "floor": "category", "size": "integer"}


def test_a_task_does_not_depend_on_the_other_tasks() -> None:
    def files(generators: str) -> dict[str, bytes]:
        made = played(generators=generators).round_files
        return {name: content for name, content in made.items() if name.startswith("made/tree_1/")}

    assert files("tree, copula") == files("tree, chain, marginals") != {}


def opendp_is_there() -> bool:
    return importlib.util.find_spec("opendp") is not None


def test_releases_without_a_seed_are_made_once_and_only_copied_afterwards() -> None:
    if not opendp_is_there():
        missing("OpenDP absent: requirements/dev.lock has it")
    first, second = (played(generators="opendp, tree", epsilons="1") for _ in range(2))
    key = "opendp_eps1_1"
    same = [name for name in first.round_files if first.round_files[name] == second.round_files[name]]
    different = sorted(set(first.round_files) - set(same))
    assert different == [f"made/{key}/released.csv"]  # the draw of the task and all else are the seed's
    stored = first.round_files
    again = Rehearsal.restored(first.game, TEAMS, first.params, first.seed, stored, {})
    for key, _ in again.game.targets(again.world()):
        before: Any = first.entries[key].target
        after: Any = again._publish(before).target
        assert after.published.files == before.published.files and after.secret.files == before.secret.files


def test_where_opendp_is_not_installed_the_build_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    with pytest.raises(NoOpenDP, match="needs the package opendp, which is not installed"):
        played(generators="opendp", epsilons="1")


def test_no_default_and_no_seeded_generator_is_without_a_seed() -> None:
    plans = planned(read_folder(FOLDER).defaults)
    assert not {plan.generator for plan in plans} & set(UNSEEDED)
    assert not set(UNSEEDED) & set(GENERATORS)


def test_presets_name_declared_rules_and_legal_parameters() -> None:
    declared = read_folder(FOLDER)
    settings = {setting.name: setting for setting in declared.parameters}
    assert declared.presets
    for path in declared.presets:
        preset = yaml.safe_load((FOLDER / path).read_text(encoding="utf-8"))
        assert declared.rule(preset["rule"])
        for name, value in preset["parameters"].items():
            assert settings[name].checked(value) == value
        assert planned(declared.defaults | preset["parameters"])


def test_a_byte_order_mark_and_carriage_returns_are_read() -> None:
    content = b"\xef\xbb\xbf" + iris().replace(b"\n", b"\r\n")
    assert list(texts_of(content, "table.csv")) == ["sepal", "width", "petal", "petal width", "species"]
