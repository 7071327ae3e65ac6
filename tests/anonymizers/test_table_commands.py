"""The command line for any table: anonymize --table, risk on its output, frontier."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from kakurenbo.main import main
from scoring.examples import eight_patients

ROLES = ["--id", "name", "--qi", "age,gender,zip", "--sensitive", "disease"]


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    path = tmp_path / "patients.csv"
    eight_patients().to_csv(path, index=False)
    return path


def test_the_released_table_has_the_risk_that_the_report_states(
    patients: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "new" / "released.csv"
    settings = ["--set", "g=0.5", "--set", "h=0.5", "--out", str(out), "--json"]
    assert main(["anonymize", "gh-tree", "--table", str(patients), *ROLES, *settings]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["groups"], report["MaxGIDR"], report["MaxGSAR"]) == (3, 0.5, 0.5)
    assert report["AvgGIDR"] == pytest.approx((0.5 + 0.5 + 0.4) / 3) and report["AvgGSAR"] == 0.5
    assert report["dropped_columns"] == ["k_group", "gh_group"]
    for name, group in (("gidr", "age,gender,zip"), ("gsar", "qi_group")):
        words = ["risk", name, str(out), "--id", "name", "--qi", group, "--json"]
        assert main([*words, *(["--sensitive", "disease"] if name == "gsar" else [])]) == 0
        result = json.loads(capsys.readouterr().out)
        assert result["value"] == report[f"Max{name.upper()}"]
        assert result["detail"]["average"] == pytest.approx(report[f"Avg{name.upper()}"])
    assert not set(pd.read_csv(out)["name"]) & set(eight_patients()["name"])


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["gh-tree", "--set", "g=0.9"], "cannot keep g = 0.9"),
        (["gh-tree", "--set", "k=3"], "has no parameter 'k'"),
        (["gh-tree", "--original", "somewhere"], "Give either --original"),
        (["swap"], "There is no method for a table 'swap'"),
        (["person-k", "--set", "k=9"], "has 8 people"),
        (["mondrian", "--qi", "height"], "no column 'height'"),
    ],
)
def test_a_wrong_call_says_why_and_writes_nothing(
    words: list[str], reason: str, patients: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.csv"
    method, *rest = words
    assert main(["anonymize", method, "--table", str(patients), *ROLES, "--out", str(out), *rest]) == 2
    assert reason in capsys.readouterr().err and not out.exists()


def test_the_frontier_compares_at_equal_risk_and_draws(
    patients: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = ["--csv", str(tmp_path / "runs.csv"), "--svg", str(tmp_path / "runs.svg")]
    assert main(["frontier", str(patients), *ROLES, "--steps", "6", "--h", "1,0.5", *files, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["at_equal_risk"]
    assert [row["MaxGIDR"] for row in rows] == [0.25, 0.2, 0.15, 0.1, 0.05]
    runs = pd.read_csv(tmp_path / "runs.csv")
    assert set(runs["method"]) == {"gh-tree", "person-k", "mondrian"} and set(runs["h"]) == {1.0, 0.5}
    assert (runs["max_gsar"] <= runs["h"] + 1e-9)[runs["method"] == "gh-tree"].all()
    assert (tmp_path / "runs.svg").read_text().startswith("<?xml")
    assert main(["frontier", str(patients), *ROLES, "--h", "2"]) == 2
    assert main(["frontier", str(patients), *ROLES, "--methods", "arx"]) == 2
