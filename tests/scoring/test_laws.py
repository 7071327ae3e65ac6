"""What every risk measure must obey, whoever writes it: parametrised over the whole registry."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scoring.examples import eight_patients
from scoring.measure import Measure, Measurement, RiskMeasure
from scoring.registry import RISKS

each_risk = pytest.mark.parametrize("risk", RISKS, ids=lambda risk: risk.name)
few = settings(deadline=None, max_examples=15, suppress_health_check=list(HealthCheck))


def described_like_the_others(described: Measure | RiskMeasure) -> None:
    name = described.name.replace("-", "_")
    assert described.function.__name__ == name
    assert described.function.__module__.rsplit(".", 1)[1] == name
    assert "Reference: " in described.documentation
    assert "better" in described.documentation
    assert described.title and described.meaning.endswith(".") and described.version >= 1


@each_risk
def test_a_measure_is_one_file_one_function_and_one_documented_constant(risk: RiskMeasure) -> None:
    described_like_the_others(risk)


def test_names_are_unique() -> None:
    names = [described.name for described in RISKS]
    assert len(set(names)) == len(names)


def on_two_threads(call: Callable[[], Measurement]) -> list[Measurement]:
    with ThreadPoolExecutor(2) as pool:
        return [future.result() for future in [pool.submit(call) for _ in range(4)]]


def risk_call(risk: RiskMeasure, table: pd.DataFrame) -> Measurement:
    options = {"sensitive": "disease", "group": "k_group"}
    qid = ["age", "zip"] if risk.name == "ane" else ["gender", "k_group"]
    return risk.function(table, "name", qid, **{name: options[name] for name in risk.needs})


@st.composite
def patients(draw: st.DrawFn) -> pd.DataFrame:
    """Rows of the paper's patients, some repeated, some left out, in any order."""
    chosen = draw(st.lists(st.integers(0, 18), min_size=2, max_size=40))
    return eight_patients().iloc[[0, 2, *chosen]].reset_index(drop=True)


@each_risk
@few
@given(patients(), st.randoms(use_true_random=False))
def test_risk_does_not_depend_on_rows_order_index_or_types(
    risk: RiskMeasure, table: pd.DataFrame, random: Random
) -> None:
    expected = risk_call(risk, table)
    shuffled = table.iloc[random.sample(range(len(table)), len(table))]
    assert risk_call(risk, shuffled) == expected
    shuffled.index = pd.Index([0] * len(shuffled))
    typed = shuffled.astype(
        {"k_group": "category", "disease": "category", "age": "float64", "name": "string"}
    )
    assert risk_call(risk, typed).value == expected.value
    assert risk_call(risk, table.astype({"k_group": str})).value == expected.value


@each_risk
@few
@given(patients())
def test_risk_is_bounded_pure_and_written_as_json(risk: RiskMeasure, table: pd.DataFrame) -> None:
    copy = table.copy(deep=True)
    result = risk_call(risk, table)
    pd.testing.assert_frame_equal(table, copy)
    assert result.value >= risk.low
    assert risk.high is None or result.value <= risk.high
    assert json.loads(json.dumps(result.detail, allow_nan=False)) == result.detail


@each_risk
def test_risk_on_two_threads_is_risk_on_one(risk: RiskMeasure) -> None:
    table = pd.concat([eight_patients()] * 50, ignore_index=True)
    alone = risk_call(risk, table)
    assert on_two_threads(lambda: risk_call(risk, table)) == [alone] * 4


@each_risk
def test_risk_names_the_column_that_is_missing(risk: RiskMeasure) -> None:
    with pytest.raises(ValueError, match="no column 'who'"):
        risk.function(eight_patients(), "who", ["gender"], **dict.fromkeys(risk.needs, "disease"))
    table = replace_name(eight_patients())
    with pytest.raises(ValueError, match="must not have missing values"):
        risk_call(risk, table)


def replace_name(table: pd.DataFrame) -> pd.DataFrame:
    table.loc[3, "name"] = None
    return table
