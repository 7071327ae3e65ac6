"""Masking from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from kakurenbo.main import main
from tests import chance
from tests.masking.tables import consumers


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "consumers.csv"
    consumers(150, np.random.default_rng(2)).to_csv(path, index=False)
    return path


def test_a_table_is_masked_measured_and_drawn(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    columns = ["--confidential", "X1,X2,X3", "--given", "S1,S2"]
    out = tmp_path / "masked.csv"
    words = ["anonymize", "more-s", "--table", str(table), *columns, "--set", "order=2", "--out", str(out)]
    assert main([*words, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["method"] == "more-s"
    assert report["columns"]["X2"]["converged"]
    assert report["columns"]["X2"]["empd"] > 0.5
    before, after = pd.read_csv(table), pd.read_csv(out)
    np.testing.assert_array_equal(np.sort(before["X2"]), np.sort(after["X2"]))

    pictures = [tmp_path / "one.svg", tmp_path / "two.svg"]
    for picture in pictures:
        assert main(["masking", str(table), str(out), *columns, "--svg", str(picture), "--json"]) == 0
        measured = json.loads(capsys.readouterr().out)
    assert measured["columns"]["X1"]["ks"] == 0
    assert pictures[0].read_text() == pictures[1].read_text()
    assert "PP plot of X2" in pictures[0].read_text()
    assert main(["masking", str(table), str(out), *columns]) == 0
    assert "quadratic S1²" in capsys.readouterr().out


def test_copies_are_combined(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    columns = ["--confidential", "X1", "--given", "S1"]
    out = tmp_path / "copies.csv"
    words = ["anonymize", "more-mi", "--table", str(table), *columns, "--out", str(out)]
    assert main([*words, "--set", "copies=4"]) == 0
    assert "X1: expected distance" in capsys.readouterr().out
    assert main(["masking", str(table), str(out), *columns, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["copies"] == 4
    original = report["columns"]["X1"]["linear"]["S1"]["original"]
    slope = report["combined"]["X1"]["S1"]
    # The mean slope of four copies is normal around the original one with 0.6 of the combined error, which is
    # at least the error of one regression, so the false alarm is far below 1e-6. Without S1 as a predictor
    # the slope would be 0.
    assert abs(slope["estimate"] - original) < chance.errors_allowed() * slope["error"]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--confidential", "nothing"], "no column 'nothing'"),
        ([], "role 'confidential'"),
        (["--confidential", "X1", "--set", "order=0"], "'order' parameter"),
    ],
)
def test_a_bad_call_says_why(
    words: list[str], reason: str, table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "masked.csv"
    assert main(["anonymize", "more-p", "--table", str(table), "--out", str(out), *words]) == 2
    assert reason in capsys.readouterr().err
    assert not out.exists()
