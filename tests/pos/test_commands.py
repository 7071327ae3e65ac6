"""The command line for store panels: anonymize, risk lp, frontier."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from kakurenbo.main import main
from tests.pos.panels import simulated

ROLES = [
    *("--id", "store", "--period", "week", "--brand", "brand", "--response", "units"),
    *("--price", "price", "--promotions", "feature,display,both"),
]


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    path = tmp_path / "sales.csv"
    simulated(20, n_stores=6, n_weeks=16, n_brands=2).to_csv(path, index=False)
    return path


def test_anonymize_then_measure(sales: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "protected.csv"
    words = ["anonymize", "bayes-synthetic", "--table", str(sales), *ROLES, "--set", "kappa=1"]
    assert main([*words, "--out", str(out), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["parameters"]["kappa"] == 1 and report["brands"]["b1"]["rhat"] < 1.05
    assert len(pd.read_csv(out)) == len(pd.read_csv(sales))
    for more in ([], ["--distinct"], ["--intercept"], ["--train", "0.5", "--history", str(sales)]):
        assert main(["risk", "lp", str(out), *ROLES, *more, "--json"]) == 0
        result = json.loads(capsys.readouterr().out)
        assert 0 <= result["value"] <= result["detail"]["upper_bound"]
    assert main(["risk", "lp", str(out), "--id", "store"]) == 2
    assert "lp needs --response COL" in capsys.readouterr().err


def test_frontier_prints_and_writes(sales: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {kind: tmp_path / f"map.{kind}" for kind in ("csv", "svg", "trace")}
    options = [word for kind, path in files.items() for word in (f"--{kind}", str(path))]
    assert main(["frontier", str(sales), *ROLES, "--kappas", "0.1,15", *options]) == 0
    told = capsys.readouterr().out
    for part in ("market level", "κ = 15", "optimal mark-up", "profit, %", "multiplier of display"):
        assert part in told
    assert len(pd.read_csv(files["csv"])) == 9
    assert all(path.stat().st_size > 1000 for path in files.values())
    assert main(["frontier", str(sales), *ROLES, "--kappas", "a"]) == 2
    assert "--kappas" in capsys.readouterr().err


def test_an_unconverged_run_writes_nothing(
    sales: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "protected.csv"
    words = ["anonymize", "bayes-synthetic", "--table", str(sales), *ROLES, "--out", str(out)]
    assert main([*words, "--set", "burn_in=0", "--set", "draws=6"]) == 2
    assert "did not converge; nothing is released" in capsys.readouterr().err and not out.exists()
