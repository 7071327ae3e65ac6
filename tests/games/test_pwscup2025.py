"""PWSCUP 2025 as a game: who is in which file, what is refused, how penalties and boards come about."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from scipy.stats import kruskal
from sklearn.model_selection import train_test_split

from games.contract.boxes import EMPTY
from games.contract.values import Board, Box, Cell, Hidden, Result, Row, Target, Verdict
from games.laws import LAWS, checked
from games.loading import load_folder
from games.pwscup2025.age_groups import kruskal_wallis, minus_log10_tail
from games.pwscup2025.boosted import BadModel, Limits, margins, model_rows, probabilities, read_model
from games.pwscup2025.features import features_of, several_valued
from games.pwscup2025.generator import invented, invented_regions
from games.pwscup2025.layout import COLUMNS, HEADER, RANGES, Lines, texts_of
from games.pwscup2025.marking import best, exactly
from games.pwscup2025.methods import released
from games.pwscup2025.neighbours import nearest
from games.pwscup2025.regression import variance_inflation
from games.pwscup2025.split import stratified_split
from games.pwscup2025.training import trained
from games.rehearsal import Entered, Rehearsal, generator
from kakurenbo.main import main
from tests.conftest import ROOT

FOLDER = ROOT / "games" / "pwscup2025"
GAME = load_folder(FOLDER)
DECLARED = GAME.declaration
TEAMS = ("aki", "haru", "natsu")
SMALL = dict(DECLARED.rehearsal)


def played(params: Mapping[str, Any] | None = None, sources: Mapping[str, bytes] | None = None) -> Rehearsal:
    return Rehearsal(GAME, sources or {}, TEAMS, {**SMALL, **(params or {})})


def entered(round_: Rehearsal, seat: int, method: str = "unchanged", variant: int = 0) -> Entered:
    upload = round_.anonymize(method, seat, {"alternative": variant})
    found = round_.enter(seat, upload, variant=variant)
    assert found.problems == ()
    return found


def rows_in(box: Box, name: str) -> list[str]:
    return box.open(name).read().decode().splitlines()


def table(n: int, seed: str = "table") -> Lines:
    rng = generator(seed)
    return Lines(HEADER, invented(n, invented_regions(rng), rng))


def test_every_law_holds_or_is_off_for_a_reason() -> None:
    findings = {finding.law: finding for finding in checked(FOLDER)}
    assert list(findings) == list(LAWS)
    assert {law for law, finding in findings.items() if finding.holds is not True} == {"row-order"}
    assert "the split of the regression depends on it" in findings["row-order"].text


@pytest.mark.parametrize("name", DECLARED.presets)
def test_a_preset_names_a_rule_and_legal_values(name: str) -> None:
    preset = yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))
    assert DECLARED.rule(preset["rule"])
    settings = {setting.name: setting for setting in DECLARED.parameters}
    for parameter, value in preset["parameters"].items():
        assert settings[parameter].checked(value) == value


def test_both_languages_have_the_rules() -> None:
    for language, name in DECLARED.texts.items():
        text = (FOLDER / name).read_text(encoding="utf-8")
        assert "40·max(0, 1 − d)" in text, language
        for parameter in ("empty-cells", "row-order", "least-penalty", "leave-out", "most-trees"):
            assert parameter in text, (language, parameter)


def test_the_declared_columns_are_those_of_the_code_and_hold_the_ranges_of_both_rounds() -> None:
    for name in ("pool/A0.csv", "pool/B0.csv", "B0.csv", "others0.csv", "X0.csv", "C.csv", "A.csv"):
        assert tuple(column.name for column in DECLARED.file(name).columns) == COLUMNS
    for column in DECLARED.file("C.csv").columns:
        spans = [ranges[column.name] for ranges in RANGES.values() if column.name in ranges]
        if spans:
            assert column.span == (min(low for low, _ in spans), max(high for _, high in spans))


def test_invented_people_are_distinct_and_legal_in_both_rounds() -> None:
    columns = texts_of(table(3000))
    assert len(set(zip(*columns.values(), strict=True))) == 3000
    for ranges in RANGES.values():
        for name, (low, high) in ranges.items():
            assert all(low <= float(cell) <= high for cell in columns[name])
    for flag in ("asthma_flag", "stroke_flag", "obesity_flag", "depression_flag"):
        assert set(columns[flag]) == {"0", "1"}


@pytest.mark.parametrize("variant", [0, 1, 2])
def test_the_population_is_that_of_the_chosen_table_and_nothing_else_is_published(variant: int) -> None:
    round_ = played()
    target = entered(round_, 1, variant=variant).target
    assert target.published.names() == ["A.csv", "C.csv", "D.json"]
    members = set(rows_in(round_.seat(1, "team").files, f"B{variant}.csv")[1:])
    everybody = rows_in(target.published, "A.csv")[1:]
    marks = rows_in(target.secret, "Z.csv")
    assert (len(members), len(set(everybody)), len(marks)) == (120, 600, 600)
    assert [row in members for row in everybody] == [mark == "1" for mark in marks]
    tested = rows_in(round_.seat(1).secret, f"X{variant}.csv")[1:]
    assert sum(row in members for row in tested) == 30
    assert len(set(tested)) == 60 and set(tested) <= set(everybody)


def test_who_may_read_what_and_when() -> None:
    round_ = played()
    assert round_.seat(0, "team").files.names() == ["B0.csv", "B1.csv", "B2.csv"]
    assert round_.seat(0, "all").files.names() == []
    shown = {name: DECLARED.file(name, "entry").shown for name in ("A.csv", "Z.csv")}
    assert (shown["A.csv"].all, shown["Z.csv"].all, shown["Z.csv"].team) == ("publish", "reveal", "never")
    for name in ("others0.csv", "X0.csv", "regions.csv"):
        assert DECLARED.file(name).shown.is_secret


def brought() -> dict[str, bytes]:
    everybody = table(600, "brought")
    members = everybody.rows[::5]
    return {
        "pool/A4.csv": "\r\n".join([HEADER, *everybody.rows, ""]).encode("utf-8-sig"),
        "pool/B4.csv": "\n".join([HEADER, *members, ""]).encode(),
    }


def test_tables_of_the_organisers_are_used() -> None:
    """Table 4 is the second alternative of the second seat."""
    sources = brought()
    round_ = played(sources=sources)
    assert round_.seat_files[1]["B1.csv"] == sources["pool/B4.csv"]
    target = entered(round_, 1, variant=1).target
    given = sources["pool/A4.csv"].decode("utf-8-sig").splitlines()
    assert sorted(rows_in(target.published, "A.csv")[1:]) == sorted(given[1:])
    drawn = played(sources={"pool/A4.csv": sources["pool/A4.csv"]}).seat_files[1]["B1.csv"]
    assert drawn != sources["pool/B4.csv"]
    assert set(drawn.decode().splitlines()) <= set(given)


def test_tables_and_sizes_that_do_not_fit_are_refused() -> None:
    sources = brought()
    for params, files, said in (
        ({"test-rows": 61}, {}, "test-rows: got 61, expected an even number up to 240"),
        ({"population": 149}, {}, "population: got 149, expected at least 150"),
        ({"population": 601}, sources, r"pool/A4\.csv: got 600 rows, expected 601"),
        ({}, {"pool/B4.csv": sources["pool/B4.csv"]}, r"pool/B4\.csv: got no pool/A4\.csv"),
    ):
        with pytest.raises(ValueError, match=said):
            played(params, files)
    rows = sources["pool/B4.csv"].decode().splitlines()
    doubled = "\n".join([*rows[:-1], rows[1], ""]).encode()
    with pytest.raises(ValueError, match="got 1 equal rows, expected distinct ones"):
        played(sources=sources | {"pool/B4.csv": doubled})
    stranger = "\n".join([*rows[:-1], table(1, "stranger").rows[0], ""]).encode()
    with pytest.raises(ValueError, match=r"got 1 rows that pool/A4\.csv lacks"):
        played(sources=sources | {"pool/B4.csv": stranger})


def with_cell(content: bytes, line: int, column: str, cell: str) -> bytes:
    rows = list(csv.reader(io.StringIO(content.decode())))
    rows[line - 1][rows[0].index(column)] = cell
    return "\n".join(",".join(row) for row in rows).encode() + b"\n"


def problems(
    change: Mapping[str, bytes], params: Mapping[str, Any] | None = None, variant: int = 0
) -> list[str]:
    round_ = played(params)
    upload = round_.anonymize("unchanged", 0, {"alternative": variant}) | dict(change)
    return [str(problem) for problem in round_.enter(0, upload, variant=variant).problems]


def unchanged_table() -> bytes:
    return played().seat_files[0]["B0.csv"]


def test_the_range_is_that_of_the_round() -> None:
    """The final allows 2442 procedures, the preliminary 2472."""
    content = with_cell(unchanged_table(), 3, "num_procedures", "2472")
    assert problems({"C.csv": content}, {"ranges": "preliminary"}) == []
    assert problems({"C.csv": content}) == [
        "C.csv, line 3, column num_procedures: got '2472', expected a number from 0 to 2442. [game-check]"
    ]


def test_empty_cells_and_a_flag_without_two_values_are_refused() -> None:
    content = with_cell(unchanged_table(), 2, "RACE", "")
    assert problems({"C.csv": content}) == [
        "C.csv, line 2, column RACE: got '', expected a value. [game-check]"
    ]
    assert problems({"C.csv": content}, {"empty-cells": "allow"}) == []
    rows = list(csv.reader(io.StringIO(unchanged_table().decode())))
    place = rows[0].index("asthma_flag")
    healthy = [rows[0], *([*row[:place], "0", *row[place + 1 :]] for row in rows[1:])]
    content = "\n".join(",".join(row) for row in healthy).encode() + b"\n"
    assert problems({"C.csv": content}) == [
        "C.csv, column asthma_flag: expected at least 2 rows with 0 and 2 with 1. [game-check]"
    ]


def test_numbers_of_seat_and_alternative_are_optional_and_checked() -> None:
    said = problems({"id.txt": b"02\n", "index.txt": b"1\n"}, variant=2)
    assert said == [
        "id.txt, line 1, column number: got '02', expected 1, the number of your seat. [game-check]",
        "index.txt, line 1, column number: got '1', expected 3, the alternative that is entered. "
        "[game-check]",
    ]
    round_ = played()
    upload = dict(round_.anonymize("unchanged", 0))
    assert (upload.pop("id.txt"), upload.pop("index.txt")) == (b"01\n", b"1\n")
    assert round_.enter(0, upload).problems == ()


def test_an_alternative_is_chosen_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The third table, entered as the third alternative; as the first, its index.txt does not fit."""
    place, entry = tmp_path / "round", tmp_path / "entry"
    sizes = [word for name, value in SMALL.items() for word in ("--set", f"{name}={value}")]
    assert main(["game", "build", str(FOLDER), "--teams", "aki", "--out", str(place), *sizes]) == 0
    common = ["--round", str(place), "--game", str(FOLDER)]
    made = ["anonymize", "unchanged", *common, "--out", str(entry), "--set", "alternative=2"]
    assert main(made) == 0
    assert main(["check", *common, "--entry", str(entry)]) == 1
    assert "index.txt, line 1, column number: got '3', expected 1" in capsys.readouterr().out
    assert main(["score", *common, "--entry", str(entry), "--variant", "2", "--as", "aki", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["measures"]["stats-diff"] == 0
    assert main(["game", "board", *common]) == 0


def a_model(change: Callable[[dict[str, Any]], Any] = lambda model: None) -> bytes:
    """A tree with one split at 50 years: leaves −1 and 2."""
    tree = {
        "left_children": [1, -1, -1], "right_children": [2, -1, -1], "split_indices": [0, 0, 0],
        "split_conditions": [50.0, -1.0, 2.0], "default_left": [1, 0, 0], "split_type": [0, 0, 0],
    }  # fmt: skip
    model: dict[str, Any] = {
        "learner": {
            "attributes": {"feature_names": '["AGE"]', "target": "stroke_flag", "xgboost_version": "2.0.3"},
            "gradient_booster": {"model": {"trees": [tree]}, "name": "gbtree"},
            "learner_model_param": {"base_score": "[5E-1]", "num_feature": "1"},
            "objective": {"name": "binary:logistic"},
        },
        "version": [2, 0, 3],
    }
    change(model)
    return json.dumps(model).encode()


def in_tree(**values: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda model: model["learner"]["gradient_booster"]["model"]["trees"][0].update(values)


def in_learner(part: str, **values: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda model: model["learner"][part].update(values)


def test_a_row_goes_left_below_the_split_and_where_it_is_missing() -> None:
    model = read_model(a_model())
    rows = np.array([[49.0], [50.0], [np.nan]], dtype=np.float32)
    assert margins(model, rows).tolist() == [-1.0, 2.0, -1.0]
    right = read_model(a_model(in_tree(default_left=[0, 0, 0])))
    assert margins(right, rows).tolist() == [-1.0, 2.0, 2.0]


def test_attributes_may_stand_at_the_top_and_one_may_be_misspelt() -> None:
    def moved(model: dict[str, Any]) -> None:
        attributes = model["learner"].pop("attributes")
        attributes["sgboost_version"] = attributes.pop("xgboost_version")
        model.update(attributes)

    assert read_model(a_model(moved)).features == ("AGE",)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"\xff\xfe", "model-json"),
        (b"[1]", "model-json"),
        (b'{"version": NaN}', "model-json"),
        (b"[" * 100_000, "model-json"),
        (a_model(lambda model: model.update(version=[3, 0, 6])), "model-version"),
        (a_model(lambda model: model.update(version="2.0.3")), "model-version"),
        (a_model(lambda model: model.pop("learner")), "model-parts"),
        (a_model(in_learner("learner_model_param", base_score="1")), "model-parts"),
        (a_model(in_learner("attributes", feature_names=["AGE"])), "model-names"),
        (a_model(in_learner("attributes", feature_names='["AGE", "AGE"]')), "model-names"),
        (a_model(lambda model: model["learner"].update(feature_names=["BMI"])), "model-names"),
        (a_model(in_learner("attributes", target="")), "model-attributes"),
        (a_model(in_learner("attributes", xgboost_version="")), "model-attributes"),
        (a_model(in_learner("objective", name="multi:softmax")), "model-objective"),
        (a_model(in_learner("learner_model_param", num_feature="2")), "model-features"),
        (a_model(in_learner("gradient_booster", name="dart")), "model-plain"),
        (a_model(in_learner("learner_model_param", num_target="2")), "model-plain"),
        (a_model(in_tree(split_type=[1, 0, 0])), "model-plain"),
        (a_model(in_tree(split_type=1)), "model-plain"),
        (a_model(in_tree(tree_param={"size_leaf_vector": "3"})), "model-plain"),
        (a_model(in_learner("gradient_booster", model={"trees": []})), "model-size"),
        (a_model(in_tree(left_children=[0, -1, -1])), "model-trees"),
        (a_model(in_tree(right_children=[7, -1, -1])), "model-trees"),
        (a_model(in_tree(right_children=[-2, -1, -1])), "model-trees"),
        (a_model(in_tree(split_indices=[1, 0, 0])), "model-trees"),
        (a_model(in_tree(split_conditions=[1e300, 0, 0])), "model-trees"),
        (a_model(in_tree(split_conditions=["x", 0, 0])), "model-trees"),
        (a_model(in_tree(split_conditions=[[1], 0, 0])), "model-trees"),
        (a_model(in_tree(default_left=[1, 0])), "model-trees"),
        (a_model(in_tree(left_children=[10**30, -1, -1])), "model-trees"),
    ],
)
def test_what_is_no_model_is_refused(content: bytes, code: str) -> None:
    with pytest.raises(BadModel) as bad:
        read_model(content)
    assert bad.value.code == code
    assert code in DECLARED.messages


def test_the_size_of_a_model_is_limited() -> None:
    for limits in (Limits(most_trees=0), Limits(most_nodes=2)):
        with pytest.raises(BadModel, match="model-size"):
            read_model(a_model(), limits)


def test_another_target_is_refused() -> None:
    model = a_model(in_learner("attributes", target="asthma_flag"))
    assert problems({"D.json": model}) == ["D.json: expected the target stroke_flag. [game-check]"]
    assert problems({"D.json": b"{}"})[0].startswith("D.json: expected a version of three integers")


@pytest.mark.parametrize(("n", "share"), [(50, 0.3), (51, 0.5), (997, 0.07), (10_000, 0.0655)])
def test_the_split_is_scikit_learns(n: int, share: float) -> None:
    labels = (generator("split", n).random(n) < share).astype(np.int64)
    ours = stratified_split(labels)
    theirs = train_test_split(np.arange(n), test_size=0.2, random_state=42, stratify=labels)
    for left, right in zip(ours, theirs, strict=True):
        assert left.tolist() == right.tolist()


def test_the_statistic_of_the_tests_is_scipys() -> None:
    """With ties; the norm of p is 2/π · atan(−log₁₀ p / 10)."""
    rng = generator("kruskal")
    samples = [rng.integers(0, 30, size).astype(float) for size in (40, 25, 60)]
    wanted = kruskal(*samples)
    found = kruskal_wallis(samples)
    assert minus_log10_tail(wanted.statistic, 2) == pytest.approx(-np.log10(wanted.pvalue), rel=1e-12)
    assert found["log-p"] == pytest.approx(2 / np.pi * np.arctan(-np.log10(wanted.pvalue) / 10), rel=1e-12)
    assert found["eta2"] == pytest.approx(max(0, (wanted.statistic - 2) / 124), rel=1e-12)


def test_groups_that_cannot_differ_count_nothing() -> None:
    for samples in ([np.array([1.0, 2.0])], [np.ones(3), np.ones(4)], []):
        assert set(kruskal_wallis(samples).values()) == {0.0}


def test_the_tail_is_finite_where_it_underflows() -> None:
    """The specification's approximation takes over at 1445.9, with a step; it goes on rising from there."""
    values = [minus_log10_tail(h, 4) for h in (1447.0, 5000.0, 1e5, 1e9)]
    assert all(low < high < np.inf for low, high in pairwise(values))
    exact = 1445.0 / 2 / np.log(10) - np.log10(1 + 1445.0 / 2)
    assert minus_log10_tail(1445.0, 4) == pytest.approx(exact, rel=1e-3)


def test_variance_inflation_by_hand() -> None:
    """Two columns with correlation 0.6 have 1 / (1 − 0.36); a copy of a column counts as 1."""
    first = np.array([1.0, -1.0, 1.0, -1.0] * 2)
    second = 0.6 * first + 0.8 * np.array([1.0, 1.0, -1.0, -1.0] * 2)
    assert variance_inflation(np.column_stack([first, second])) == pytest.approx([1 / 0.64] * 2)
    assert variance_inflation(np.column_stack([first, 3 * first + 1])) == [1.0, 1.0]


def test_features_are_numbers_and_all_levels_but_the_first() -> None:
    cells = {
        "AGE": ("4", "x", "6"),
        "RACE": ("white", "", "black"),
        "flag": ("0", "1", "0"),
        "K": ("1", "1", "1"),
    }
    made = features_of(cells, "flag", "(NA)")
    assert list(made) == ["AGE", "RACE_black", "RACE_white", "K"]
    assert np.isnan(made["AGE"][1])
    assert list(features_of(cells, "flag")) == ["AGE", "RACE_black", "RACE_white", "K"]
    assert list(several_valued(made)) == ["AGE", "RACE_black", "RACE_white"]


def test_of_rows_at_one_distance_the_first_is_nearest_however_many_there_are() -> None:
    rows = np.concatenate([np.full((3, 2), 5.0), np.ones((50, 2))]).astype(np.float32)
    places, distances = nearest(np.zeros((2, 2), dtype=np.float32), rows)
    assert (places.tolist(), distances.tolist()) == ([3, 3], [2.0, 2.0])


def test_marks_are_filled_up_and_cut_down_to_the_number_asked_for() -> None:
    score = np.array([0.1, 0.9, 0.5, 0.5])
    marked = np.array([True, False, True, True])
    assert exactly(marked, score, 2).tolist() == [False, False, True, True]
    assert exactly(marked, score, 4).tolist() == [True] * 4
    assert best(score, 2).tolist() == [False, True, True, False]


@pytest.mark.parametrize("method", [method.name for method in DECLARED.methods])
def test_every_method_makes_a_legal_entry_of_the_chosen_table(method: str) -> None:
    entered(played(), 1, method, variant=2)


def test_swapped_independent_and_copula_tables_keep_the_values_of_every_column() -> None:
    before = table(300)
    for method in ("swap", "independent", "copula"):
        after = texts_of(released(method, before, {"share": 0.5}, generator(method)))
        for name, cells in texts_of(before).items():
            assert sorted(after[name]) == sorted(cells)
    assert released("unchanged", before, {}, generator("same")) is before


def test_the_copula_keeps_correlations_that_independent_columns_lose() -> None:
    before = table(2000)
    columns = ("encounter_count", "num_procedures")
    found = {}
    for method in ("unchanged", "copula", "independent"):
        made = texts_of(released(method, before, {}, generator(method)))
        found[method] = np.corrcoef(*(np.array(made[name], dtype=float) for name in columns))[0, 1]
    assert abs(found["independent"]) < 0.15 < 0.6 < found["copula"]
    assert abs(found["copula"] - found["unchanged"]) < 0.15


def test_the_trainer_writes_what_the_reader_sums_up() -> None:
    """Its own probabilities are those of the model that is read back: the share of strokes is met."""
    texts = texts_of(table(1000))
    model = read_model(trained(texts, "stroke_flag", rounds=30))
    assert len(model.trees) == 30
    assert "stroke_flag" not in model.features and list(model.features) == sorted(model.features)
    labels = np.array([cell == "1" for cell in texts["stroke_flag"]])
    chances = probabilities(model, model_rows(model, texts))
    assert chances.mean() == pytest.approx(labels.mean(), abs=0.01)
    assert ((chances >= 0.5) == labels).mean() > max(labels.mean(), 1 - labels.mean())


def round_with_targets(**params: Any) -> Rehearsal:
    round_ = played({name.replace("_", "-"): value for name, value in params.items()})
    for seat in range(3):
        entered(round_, seat, "swap")
    return round_


def answer_of(round_: Rehearsal, by: int) -> list[list[str]]:
    return [line.split(",") for line in round_.oracle(by)["F.csv"].decode().splitlines()]


def as_file(rows: list[list[str]]) -> bytes:
    return "".join(",".join(row) + "\n" for row in rows).encode()


def test_one_file_answers_all_targets_and_ones_own_may_be_blank() -> None:
    round_ = round_with_targets()
    header, *rows = answer_of(round_, 1)
    assert header == list(TEAMS)
    for blank in ("", "0"):
        left_out = [[row[0], blank, row[2]] for row in rows]
        answered = round_.answer(1, {"F.csv": as_file([header, *left_out])})
        assert {cell.target: cell.result.numbers["hits"] for cell in answered.cells} == {
            "aki": 120,
            "natsu": 120,
        }


def test_a_file_per_target_gives_the_same() -> None:
    round_ = round_with_targets(leave_out=True)
    rows = answer_of(round_, 1)[1:]
    other = {"1": "01", "0": "0.0"}
    answered = round_.answer(1, {"aki/F.csv": as_file([[other[row[0]]] for row in rows])})
    (cell,) = answered.cells
    assert (cell.result.risk, cell.result.baseline) == (1.0, 0.2)
    assert cell.result.evidence["found"].tolist() == [
        place for place, row in enumerate(rows) if row[0] == "1"
    ]


def test_wrong_counts_lengths_and_cells_are_located() -> None:
    round_ = round_with_targets()
    header, *rows = answer_of(round_, 1)
    place = next(number for number, row in enumerate(rows) if row[0] == "1")

    def said(changed: list[list[str]]) -> list[str]:
        return [str(problem) for problem in round_.answer(1, {"F.csv": as_file([header, *changed])}).problems]

    one_less = [["0", *row[1:]] if number == place else row for number, row in enumerate(rows)]
    assert said(one_less) == ["F.csv, column aki: expected exactly 120 ones, not 119. [game-check]"]
    assert said([["0", *row[1:]] for row in rows]) == [
        "F.csv, column aki: expected exactly 120 ones, not 0. [game-check]"
    ]
    strange = [["2", *row[1:]] if number == 4 else row for number, row in enumerate(rows)]
    assert said(strange) == ["F.csv, line 6, column aki: got '2', expected 0 or 1. [game-check]"]
    assert said(rows[:-1])[0] == "F.csv: expected 600 lines, not 599. [game-check]"
    own = as_file([[row[0]] for row in rows])
    (problem,) = round_.answer(1, {"F.csv": as_file([header, *rows]), "aki/F.csv": own}).problems
    assert (problem.file, problem.code) == ("aki/F.csv", "game-check")
    (problem,) = round_.answer(1, {"aki/F.csv": own}).problems
    assert str(problem) == "natsu/F.csv: expected exactly 120 ones, not 0. [game-check]"


def test_unchanged_data_are_found_by_distance_and_density() -> None:
    """Random marks hit 24 of 120 on the mean."""
    round_ = played()
    entered(round_, 0)
    for attack, least in (("nearest", 120), ("density-ratio", 120)):
        (cell,) = round_.answer(1, round_.attack(attack, 1)).cells
        assert cell.result.numbers["hits"] >= least


def hidden(team: str, utility: float, received: float = 0.0, **more: Any) -> Hidden:
    target = Target(f"of-{team}", "", 0, {}, None, EMPTY, EMPTY, EMPTY)
    return Hidden(
        team, target, more.pop("state", "counts"), received, Verdict((), utility, {"lr-points": 12.5}), more
    )


def hits(attacker: str, team: str, *found: int) -> Cell:
    result = Result(len(found) / 100, {"hits": len(found)}, evidence={"found": np.array(found)})
    return Cell(attacker, f"of-{team}", "member", result)


def boards(
    entries: list[Hidden], cells: list[Cell], rule: str = "one-round", earlier: Any = None, **params: Any
) -> dict[str, Board]:
    changed = {name.replace("_", "-"): value for name, value in params.items()}
    settings = {**DECLARED.defaults, "members": 100, **changed}
    made = list(GAME.tally(rule, settings, entries, lambda: iter(cells), earlier or {}))
    assert {board.name for board in made} == set(DECLARED.rule(rule).boards)
    return {board.name: board for board in made}


def values(board: Board, column: str) -> dict[str, float | None]:
    return {row.key: row.values[column] for row in board.rows}


def test_a_person_found_by_several_teams_costs_a_penalty() -> None:
    """Person 7 of a is found by three teams; the house and the team itself do not count."""
    cells = [
        hits("b", "a", 7, 8),
        hits("c", "a", 7),
        hits("d", "a", 1, 2, 7),
        hits("a", "a", 7),
        hits("near", "a", 7),
    ]
    cells += [hits("a", "b", 1), hits("c", "b", 2)]
    main = boards([hidden(team, 80) for team in "abcd"], cells)["main"]
    assert values(main, "penalty") == {"a": 2, "b": 0, "c": 0, "d": 0}
    assert values(main, "most-hits") == {"a": 3, "b": 1, "c": 0, "d": 0}
    assert values(main, "anonymity") == {"a": 95, "b": 99, "c": 100, "d": 100}
    assert values(main, "total") == {"a": 175, "b": 179, "c": 180, "d": 180}
    assert values(main, "lr-points")["a"] == 12.5
    literal = boards([hidden(team, 80) for team in "abcd"], cells, least_penalty=-1)["main"]
    assert values(literal, "anonymity") == {"a": 95, "b": 99, "c": 101, "d": 101}


def test_anonymity_is_not_below_nothing() -> None:
    cells = [hits(team, "a", *range(100)) for team in "bcd"]
    assert values(boards([hidden(team, 80) for team in "abcd"], cells)["main"], "anonymity")["a"] == 0


def test_a_voided_entry_has_no_anonymity_and_stays_a_target() -> None:
    entries = [
        hidden("a", 70),
        hidden("b", 60, state="void"),
        Hidden("d", None, "absent"),
        hidden("h", 90, state="house"),
    ]
    found = boards(entries, [hits("a", "b", 1, 2), hits("a", "h", 1)])
    assert values(found["main"], "total") == {"a": 170, "b": 60, "d": 0, "h": 189}
    assert {row.key: row.chain for row in found["main"].rows}["h"] is None
    # On its own entry, b has the most that anybody made.
    assert values(found["attackers"], "points") == {"a": 2, "b": 2, "d": 0}
    assert values(found["attackers"], "hits") == {"a": 3, "b": 0, "d": 0}


def test_organisers_may_set_a_number_by_hand() -> None:
    entries = [hidden("a", 70, anonymity=0.0), hidden("b", 60, total=5.0), hidden("c", 60, penalty=4.0)]
    assert values(boards(entries, [])["main"], "total") == {"c": 156, "a": 70, "b": 5}


def test_attack_points_count_the_best_entries_and_replace_ones_own() -> None:
    """Of a and b, equal at the limit, the earlier entry counts."""
    entries = [hidden("a", 70, 2.0), hidden("b", 70, 1.0), hidden("c", 90)]
    cells = [
        hits("a", "b", 1, 2),
        hits("c", "b", 3),
        hits("a", "c", 3),
        hits("b", "c", 4, 5),
        hits("c", "a", 5, 6),
    ]
    cells += [hits("b", "a", 1), hits("near", "c", 1, 2, 3)]
    attackers = boards(entries, cells, top=2)["attackers"]
    assert values(attackers, "points") == {"a": 3, "b": 4, "c": 3, "near": 3}
    assert values(attackers, "score") == {"a": 0.03, "b": 0.04, "c": 0.03, "near": 0.03}


def test_of_several_answers_the_one_with_most_hits_counts() -> None:
    cells = [hits("b", "a", 1, 2), hits("b", "a", 3), hits("c", "a", 3)]
    main = boards([hidden(team, 70) for team in "abc"], cells)["main"]
    assert (values(main, "most-hits")["a"], values(main, "penalty")["a"]) == (2, 0)


def test_attack_points_of_the_earlier_round_count_twice() -> None:
    before = {"preliminary": [
        Board("main", ("total",), [Row("a", {"total": 100.0}, None)]),
        Board("attackers", ("points",), [Row("b", {"points": 50.0}, None)]),
    ]}  # fmt: skip
    entries = [hidden("a", 70), hidden("b", 70)]
    last = boards(entries, [hits("b", "a", 1)], "last-round", before)
    assert values(last["overall"], "score") == {"a": 162.1, "b": 153}
    assert values(last["overall-attackers"], "score") == {"b": 10.9, "a": 0.9}
    named = boards(entries, [], "last-round", before, earlier_round="practice")
    assert values(named["overall"], "score") == {"a": 153, "b": 153}
    awards = {row.key: (row.values["place"], row.values["best-attack"]) for row in last["awards"].rows}
    assert awards == {"a": (1, 0), "b": (2, 1)}


def test_utility_is_rounded_by_the_rule_of_the_round() -> None:
    final = entered(played(), 0).measures
    assert final["utility"] == round(80 + 20 * final["model-correct"] / 60, 2)
    exact = entered(played({"rounding": "six-digits"}), 0).measures
    assert exact["utility"] == pytest.approx(80 + 20 * exact["model-correct"] / 60, abs=1e-9)
