"""A round's limits and utility score: one pure function."""

from __future__ import annotations

import math

import pytest

from games.shop.data.tables import Release
from games.shop.measure_examples import tea_and_cake
from games.shop.measures.registry import MEASURES, measure
from games.shop.presets import PWSCUP2016
from scoring.measure import Measurement
from scoring.registry import risk
from scoring.rules import LIMIT_BROKEN, Limit, evaluate
from scoring.run import measure_release


def measured(**values: float) -> dict[str, Measurement]:
    return {name.replace("_", "-"): Measurement(value) for name, value in values.items()}


LIMITS = [Limit("ut-jaccard", "<=", 0.7), Limit("subset", "<=", 50_000)]


def test_keeping_every_limit_is_valid_and_scores_what_is_left_of_them() -> None:
    verdict = evaluate(measured(ut_jaccard=0.35, subset=12_500), LIMITS)
    assert verdict.valid and verdict.because == ()
    assert verdict.score == pytest.approx(100 * (0.5 + 0.75) / 2)


def test_exactly_at_the_limit_is_valid_and_scores_nothing() -> None:
    verdict = evaluate(measured(ut_jaccard=0.7, subset=50_000), LIMITS)
    assert verdict.valid and verdict.score == 0


def test_every_broken_limit_is_told() -> None:
    verdict = evaluate(measured(ut_jaccard=0.71, subset=50_000.5), LIMITS)
    assert not verdict.valid
    assert verdict.because == (
        LIMIT_BROKEN(measure="ut-jaccard", value="0.71", operator="<=", limit="0.7"),
        LIMIT_BROKEN(measure="subset", value="50000.5", operator="<=", limit="50000"),
    )
    assert str(verdict.because[0]) == "ut-jaccard is 0.71, the limit is <= 0.7."


@pytest.mark.parametrize("value", [math.nan, math.inf, None])
def test_what_is_no_number_never_passes(value: float | None) -> None:
    results = measured(subset=0.0) if value is None else measured(subset=0.0, ut_jaccard=value)
    verdict = evaluate(results, LIMITS)
    assert not verdict.valid and len(verdict.because) == 1
    assert verdict.score == 50.0


def test_nan_does_not_pass_a_lower_limit_either() -> None:
    assert not Limit("x", ">=", 1.0).holds(math.nan)
    assert Limit("x", ">=", 1.0).holds(1.0) and not Limit("x", ">=", 1.0).holds(0.9)


def test_a_limit_of_zero_gives_all_or_nothing() -> None:
    assert evaluate(measured(subset=0.0), [Limit("subset", "<=", 0)]).score == 100
    assert evaluate(measured(subset=0.1), [Limit("subset", "<=", 0)]).score == 0


def test_no_limits_no_complaints() -> None:
    assert evaluate({}, []).valid and evaluate({}, []).score == 100


@pytest.mark.parametrize(("operator", "limit"), [("<", 1.0), ("<=", math.nan), ("<=", math.inf)])
def test_limits_that_cannot_be_meant_are_refused(operator: str, limit: float) -> None:
    with pytest.raises(ValueError, match="must be"):
        Limit("subset", operator, limit)  # type: ignore[arg-type]


def test_the_limits_of_2016_name_known_measures() -> None:
    """Nakagawa: ut-jaccard at most 0.7 and subset at most 50,000."""
    bounds = {limit.measure: limit.limit for limit in PWSCUP2016}
    assert bounds["ut-jaccard"] == 0.7 and bounds["subset"] == 50_000
    assert all(measure(name) in MEASURES for name in bounds)


def test_unknown_names_are_told_with_the_known_ones() -> None:
    with pytest.raises(KeyError, match=r"no measure 'nothing'.*ut-jaccard"):
        measure("nothing")
    with pytest.raises(KeyError, match=r"no risk measure 'nothing'.*unicity"):
        risk("nothing")


def test_a_release_is_measured_with_progress_and_options() -> None:
    original, released, truth = tea_and_cake()
    seen: list[tuple[int, int, str | None]] = []
    results = measure_release(
        original,
        Release(released, truth),
        MEASURES[:2],
        on_progress=lambda done, total, current: seen.append((done, total, current and current.name)),
        options={"ut-jaccard": {"vanished": "ignore"}},
    )
    assert list(results) == ["ut-jaccard", "cmae"]
    assert results["ut-jaccard"].detail["vanished"] == "ignore"
    assert seen == [(0, 2, "ut-jaccard"), (1, 2, "cmae"), (2, 2, None)]
