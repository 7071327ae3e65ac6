"""The risk report of a panel: its figures by the measures they sum up, its model by scikit-learn."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from arithmetic import exp
from games.shop.data.baskets import baskets
from games.shop.data.folder import read_original
from kakurenbo.main import main
from scoring.examples import four_panelists
from scoring.panel.logistic import logistic
from scoring.panel.risk_report import risk_report
from scoring.risk.individual_risk import individual_risk
from scoring.risk.sno_unicity import sno_unicity
from scoring.risk.unicity import unicity
from tests.bench.panel_simulation import simulated_panel

BRANDS = [f"brand{number}" for number in range(4)]


def panel(seed: int = 1) -> pd.DataFrame:
    table = simulated_panel(150, (0.1, 0.2, 0.3, 0.4), seed)
    rng = np.random.default_rng(seed)
    return table.assign(week=rng.integers(0, 4, len(table)), spent=rng.integers(1, 500, len(table)) / 10)


def test_the_papers_example_has_its_printed_risks() -> None:
    """Tables 1 and 2 of Li et al.: unicity 25 %, sno-unicity 100 %, IR 1/3 and 1/9."""
    report = risk_report(four_panelists(), "panelist", ["lays", "ruffles"], "week")
    last = report.growth[-1]
    assert (last["unicity"], last["sno_unicity"], last["quasi_identifiers"]) == (0.25, 1.0, 6)
    np.testing.assert_allclose(report.risk, [1 / 3, 1 / 9, 1 / 9, 1 / 9])
    assert report.iteration.tolist() == [1, 2, 2, 3]


@pytest.mark.parametrize("period", [None, "week"])
def test_growth_equals_the_measures_on_the_trips_of_these_brands(period: str | None) -> None:
    table = panel()
    report = risk_report(table, "who", BRANDS, period)
    for count, line in enumerate(report.growth, start=1):
        qid = [*BRANDS[:count], *([period] if period else [])]
        kept = table[(table[BRANDS[:count]] > 0).any(axis=1)]
        assert line["unicity"] == unicity(kept, "who", qid).value
        assert line["sno_unicity"] == sno_unicity(kept, "who", qid).value
        assert line["people"] == kept["who"].nunique()
        assert line["quasi_identifiers"] == len(kept.drop_duplicates(qid))
    kept = table[(table[BRANDS] > 0).any(axis=1)]
    qid = [*BRANDS, *([period] if period else [])]
    measured = individual_risk(kept, "who", qid)
    assert report.risk.mean() == pytest.approx(measured.value)
    assert [line["mean"] for line in report.by_iteration()] == pytest.approx(
        measured.detail["mean_by_iteration"]
    )
    assert sum(report.histogram()) == measured.detail["people_at_risk"] == len(report.found)


def test_the_logistic_model_equals_scikit_learn() -> None:
    rng = np.random.default_rng(2)
    columns = {"a": rng.normal(size=400), "b": 1000 * rng.normal(size=400)}
    outcome = rng.random(400) < 1 / (1 + exp(-(0.3 + columns["a"] - columns["b"] / 2000)))
    found = logistic(outcome, columns)
    assert found is not None
    design = np.column_stack(list(columns.values())) / [1, 1000]
    peer = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(design, outcome)
    # The peer's solver stops at a gradient of 1e-10; rtol leaves room for kernels that differ by processor.
    np.testing.assert_allclose(found.estimate[1:] * [1, 1000], peer.coef_[0], rtol=1e-4)
    np.testing.assert_allclose(found.estimate[0], peer.intercept_[0], rtol=1e-4)
    # Standard errors from the peer's own probabilities: the inverse of X'WX.
    chance = peer.predict_proba(design)[:, 1]
    full = np.column_stack([np.ones(400), design])
    expected = np.sqrt(np.diag(np.linalg.inv((full * (chance * (1 - chance))[:, None]).T @ full)))
    np.testing.assert_allclose(found.error * [1, 1, 1000], expected, rtol=1e-4)
    assert [row["name"] for row in found.rows()] == ["intercept", "a", "b"]
    assert all(0 <= row["p"] <= 1 for row in found.rows())


@pytest.mark.parametrize(
    ("outcome", "column"),
    [([0, 0, 1, 1], [1.0, 2, 3, 4]), ([0, 1, 0, 1], [5.0, 5, 5, 5]), ([1, 1, 1, 1], [1.0, 2, 3, 4])],
)
def test_what_no_model_can_fit_gives_none(outcome: list[int], column: list[float]) -> None:
    """Outcomes told apart without error, a constant, one outcome only."""
    assert logistic(np.array(outcome, dtype=bool), {"x": np.array(column)}) is None


def test_heavier_buyers_of_the_real_receipts_stand_out(shared_data: Path) -> None:
    """Table A6 of Li et al. has a positive sign for units a trip; so have the receipts of 2016."""
    data = read_original(shared_data / "pwscup2016")
    basket = baskets(data, 10, 7)
    names = [f"item{j}" for j in range(10)]
    report = risk_report(basket.table.assign(spent=basket.spent / 100), "customer", names, "period", "spent")
    shares = [(line["unicity"], line["sno_unicity"]) for line in report.growth]
    assert all(one <= other for one, other in shares)
    assert shares[-1][1] > 0.9 > shares[0][1]
    assert report.model is not None
    assert {row["name"]: row["estimate"] > 0 for row in report.model.rows()}["mean units a record"]


def test_the_command_prints_json_and_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    panel().to_csv(tmp_path / "panel.csv", index=False)
    words = ["risk", "report", f"{tmp_path}/panel.csv", "--id", "who", "--qid", f"week,{','.join(BRANDS)}"]
    words += ["--period", "week", "--spend", "spent", "--svg", f"{tmp_path}/risk.svg"]
    assert main([*words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [line["brands"] for line in document["growth"]] == [1, 2, 3, 4]
    assert document["people_at_risk"] == sum(document["histogram"]["people"])
    first = (tmp_path / "risk.svg").read_bytes()
    assert first.startswith(b"<?xml") and b"sno-unicity" in first
    assert main(words) == 0
    assert "high risk goes with" in capsys.readouterr().out
    assert (tmp_path / "risk.svg").read_bytes() == first


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--qid", "week", "--period", "week"], "needs columns of units"),
        (["--qid", "brand0,brand9"], "no column 'brand9'"),
        (["--qid", "brand0,name"], "'name' must hold finite numbers"),
    ],
)
def test_a_wrong_call_says_why(
    words: list[str], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    panel().assign(name="x").to_csv(tmp_path / "panel.csv", index=False)
    assert main(["risk", "report", f"{tmp_path}/panel.csv", "--id", "who", *words]) == 2
    assert reason in capsys.readouterr().err
