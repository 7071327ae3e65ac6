"""`kakurenbo brand-metrics` and `kakurenbo explain` as a person types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kakurenbo.main import main
from scoring.examples import eight_patients, four_panelists

BRANDS = ("--id", "panelist", "--brands", "lays,ruffles")
PATIENTS = ("--id", "name", "--qid", "age,gender,zip", "--sensitive", "disease", "--set", "h=0.5")


@pytest.fixture
def panel(tmp_path: Path) -> Path:
    four_panelists().to_csv(tmp_path / "panel.csv", index=False)
    return tmp_path / "panel.csv"


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    eight_patients().to_csv(tmp_path / "patients.csv", index=False)
    return tmp_path / "patients.csv"


def test_brand_metrics_of_the_papers_four_panelists(panel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By hand from Table 1: each brand is chosen on 7 of 14 occasions; 12 and 10 units; lays follows lays on
    2 of the 6 pairs of choices that begin with it, ruffles follows ruffles on 2 of 4."""
    assert main(["brand-metrics", str(panel), *BRANDS, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["original"]
    assert found["market_share"] == [50.0, 50.0] and found["sales"] == [12.0, 10.0]
    assert found["switching"] == pytest.approx([100 * 4 / 6, 50.0])


def test_a_protected_panel_is_compared_by_mapd(
    panel: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Twice the units of one brand: its sales deviate by 100 %, on average over both brands by 50 %."""
    other = tmp_path / "protected.csv"
    four_panelists().assign(lays=lambda table: 2 * table["lays"]).to_csv(other, index=False)
    assert main(["brand-metrics", str(panel), str(other), *BRANDS, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["mapd"] == {"market_share": 0.0, "requirements": 0.0, "switching": 0.0, "sales": 50.0}
    assert main(["brand-metrics", str(panel), str(other), *BRANDS]) == 0
    assert "sales                             50" in capsys.readouterr().out


def test_a_mix_fits_the_choice_model_and_a_price_gives_mark_ups(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "trips.csv"
    rows = ["who,tea,cake,p_tea,p_cake"]
    for trip in range(40):
        cheap = trip % 4 != 0
        rows.append(
            f"p{trip % 5},{int(cheap)},{int(not cheap)},{1 if trip % 2 else 2},{2 if trip % 3 else 1}"
        )
    path.write_text("\n".join(rows))
    words = ["brand-metrics", str(path), "--id", "who", "--brands", "tea,cake", "--mix", "price=p_tea,p_cake"]
    few = ["--draws", "40", "--burn-in", "10"]
    assert main([*words, "--price", "price", *few, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["original"]
    assert found["market_share"] == [75.0, 25.0] and found["choice"]["panelists"] == 5
    effect = abs(found["choice"]["coefficients"]["price"]["mean"])
    assert found["markup"] == pytest.approx([1 / (effect * 0.25), 1 / (effect * 0.75)])
    assert main([*words[:2], str(path), *words[2:], *few, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["mapd"]["mix"] == 0.0


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--brands", "lays,pringles"], "no column 'pringles'. Its columns are: panelist, week"),
        (["--brands", "lays", "--mix", "price"], "expected NAME=COL,COL"),
        (["--brands", "lays", "--price", "cost"], "expected a variable of --mix"),
        (["--brands", "panelist"], "must hold numbers"),
        (["--brands", "lays,ruffles", "--mix", "week=week"], "Got 1."),
        (["--brands", "lays", "--seed", "-1"], "expected a natural number"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_a_sentence(
    panel: Path, words: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["brand-metrics", str(panel), "--id", "panelist", *words]) == 2
    assert text in capsys.readouterr().err


def test_the_tree_of_the_papers_example_is_explained(
    patients: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Kartal and Li (2020), Δg, variance and ratio of the root's splits, and the groups of Table 6b."""
    assert main(["explain", str(patients), *PATIENTS, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["people"], document["records"], document["groups"]) == (8, 19, 3)
    root, second = document["nodes"][0], document["nodes"][2]
    assert [
        (split["by"], round(split["change"], 4), round(split["variance"], 4), round(split["ratio"], 3))
        for split in root["splits"]
    ] == [
        ("gender = Female", 0.1252, 0.1662, 0.753),
        ("zip", 0.1802, 0.1959, 0.920),
        ("age", 0.1708, 0.1202, 1.421),
    ]
    assert [split["taken"] for split in root["splits"]] == [True, False, False]
    assert [split["by"] for split in second["splits"] if split["taken"]] == ["age"]
    assert [(node["people"], round(node["g"], 2)) for node in document["nodes"] if "splits" not in node] == [
        (2, 0.5), (2, 0.5), (4, 0.72)
    ]  # fmt: skip


def test_the_explanation_is_read_by_people(patients: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", str(patients), *PATIENTS, "--most", "1"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("8 people with 19 records in 3 groups; 1 of 5 nodes\n")
    assert "→ gender = Female" in shown and "node 2" not in shown


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--qid", "age", "--set", "h=0.5"], "needs a sensitive column"),
        (["--qid", "shoe"], "no column 'shoe'"),
        (["--qid", "age", "--set", "g=2"], "must be a number from 0 to 0.999999"),
        (["--qid", "age", "--set", "g=0.9"], "cannot keep g = 0.9"),
        (["--qid", "age", "--most", "0"], "expected a natural number from 1"),
    ],
)
def test_a_tree_that_cannot_be_grown_is_refused_in_a_sentence(
    patients: Path, words: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", str(patients), "--id", "name", *words]) == 2
    assert text in capsys.readouterr().err
