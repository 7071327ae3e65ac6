"""Loss of protection and the intruder's model."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from threadpoolctl import threadpool_limits

from anonymizers.table_registry import run_table_method
from datasets.store_panel import StorePanel
from scoring.registry import PANEL_RISKS, risk
from scoring.store_panel.identification import SubjectPeriods, balanced, identification, subject_periods
from scoring.store_panel.logit import LogitData, fit_logit, leave_out, softmax
from scoring.store_panel.loss_of_protection import Protection, entropy, gini_impurity, loss_of_protection
from tests import chance
from tests.pos.panels import COLUMNS, simulated

positive = st.floats(1e-6, 1.0)
rows_of_chances = st.integers(2, 40).flatmap(
    lambda n: arrays(np.float64, (3, n), elements=positive).map(lambda a: a / a.sum(axis=1, keepdims=True))
)
ROLES = {role: COLUMNS[role] for role in ("response", "price", "promotions", "period", "brand")}


@settings(deadline=None)
@given(rows_of_chances)
def test_bounds_and_the_gini_identity(chances: np.ndarray) -> None:
    n = chances.shape[1]
    loss = loss_of_protection(chances)
    assert (loss >= 0).all() and (loss <= np.sqrt(n) - 1 + 1e-12).all()
    np.testing.assert_allclose(loss, np.sqrt(n * (1 - gini_impurity(chances))) - 1, atol=1e-9)
    assert (entropy(chances) >= -1e-12).all() and (entropy(chances) <= np.log2(n) + 1e-9).all()


@given(st.integers(2, 200))
def test_the_bounds_are_reached_by_random_guessing_and_by_certainty(n: int) -> None:
    assert loss_of_protection(np.full((1, n), 1 / n))[0] == pytest.approx(0, abs=1e-12)
    assert loss_of_protection(np.eye(n))[0] == pytest.approx(np.sqrt(n) - 1)
    assert Protection.of(np.eye(n)).mlp == pytest.approx(np.sqrt(n) - 1)
    assert Protection.of(np.eye(n)).found == 1


def small() -> SubjectPeriods:
    return subject_periods(
        StorePanel.of(simulated(2, n_stores=5, n_weeks=20, n_brands=1, store_spread=0.4), COLUMNS)
    )


@pytest.mark.parametrize("intercept", [False, True])
def test_leaving_a_week_out_is_refitting_scikit_learn_without_it(intercept: bool) -> None:
    from sklearn.linear_model import LogisticRegression

    data = small()
    x = data.x / data.x.std(axis=0)
    expected = np.zeros((5, 5))
    for week in range(20):
        seen, asked = data.period != week, data.period == week
        model = LogisticRegression(C=1.0, fit_intercept=intercept, tol=1e-8, solver="newton-cholesky")
        with threadpool_limits(1):
            model.fit(x[seen], data.subject[seen])
        expected[data.subject[asked]] += model.predict_proba(x[asked]) / 20
    np.testing.assert_allclose(identification(data, intercept=intercept), expected, atol=1e-4)


def test_the_large_and_the_small_solver_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    data = small()
    model = LogitData(data.x / data.x.std(axis=0), data.subject, 5, np.ones(data.x.shape[1]))
    chances = softmax(model.x, fit_logit(model))
    left = dict(enumerate(leave_out(model, data.period)))
    monkeypatch.setattr("scoring.store_panel.logit.NEWTON_LIMIT", 0)
    with threadpool_limits(1):
        np.testing.assert_allclose(softmax(model.x, fit_logit(model)), chances, atol=1e-3)
        for week, (rows, found) in enumerate(leave_out(model, data.period)):
            np.testing.assert_array_equal(rows, left[week][0])
            np.testing.assert_allclose(found, left[week][1], atol=1e-3)


def test_a_balanced_period_claims_every_store_once() -> None:
    rng = np.random.default_rng(1)
    chances = rng.dirichlet(np.full(7, 0.3), size=7)
    full = balanced(chances)
    np.testing.assert_allclose(full.sum(axis=0), 1, atol=1e-8)
    np.testing.assert_allclose(full.sum(axis=1), 1, atol=1e-8)
    # Scaling rows and columns leaves every cross ratio as it was.
    before = chances[0, 0] * chances[1, 1] / chances[0, 1] / chances[1, 0]
    assert full[0, 0] * full[1, 1] / full[0, 1] / full[1, 0] == pytest.approx(before, rel=1e-6)
    some = balanced(chances[:4])
    np.testing.assert_allclose(some.sum(axis=1), 1, atol=1e-8)
    assert (some.sum(axis=0) <= 1 + 1e-8).all()


def test_knowing_that_stores_differ_finds_the_one_that_looks_like_another() -> None:
    """Both rows look like the first store. The cross ratio stays 7.36, so that both get 2.71 / 3.71 =
    0.73."""
    chances = np.array([[0.9, 0.1], [0.55, 0.45]])
    assert Protection.of(chances).found == 0.5
    np.testing.assert_allclose(balanced(chances).diagonal(), np.sqrt(81 / 11) / (1 + np.sqrt(81 / 11)))
    assert Protection.of(balanced(chances)).found == 1


def test_an_intruder_who_knows_that_stores_differ_claims_each_once_a_week() -> None:
    data = subject_periods(StorePanel.of(simulated(3, n_stores=10, n_weeks=20, n_brands=2), COLUMNS))
    plain, aware = (identification(data, distinct=flag) for flag in (False, True))
    np.testing.assert_allclose(aware.sum(axis=0), 1, atol=1e-8)
    # Without that knowledge some store is claimed 0.05 to 0.08 times too often or too seldom, in eight
    # panels.
    assert np.abs(plain.sum(axis=0) - 1).max() > 1e-3


def test_protection_lowers_the_risk_and_a_share_of_true_history_shows_it() -> None:
    """In eight panels κ = 1000 left 0.19 to 0.33 of the loss; a release that hid nothing leaves all of it."""
    table = simulated(chance.seed(4), n_stores=10, n_weeks=24, n_brands=2)
    hidden = run_table_method("bayes-synthetic", table, COLUMNS, chance.seed(1), {"kappa": 1000}).table
    measure = risk("lp")
    plain = measure.function(table, "store", (), **ROLES)
    lower = measure.function(hidden, "store", (), **ROLES)
    assert lower.detail["alp"] < 0.7 * plain.detail["alp"]
    for history in (None, table):
        split = measure.function(hidden, "store", (), **ROLES, train=0.5, history=history)
        assert 0 <= split.value <= np.sqrt(10) - 1
    with pytest.raises(ValueError, match="both sides"):
        measure.function(table, "store", (), **ROLES, train=0.999)


def test_sales_tell_more_than_prices_which_tell_more_than_promotions() -> None:
    """The order of Table C.1: sales only 0.511, price only 0.062, promotions only 0.015.

    In eight panels sales told 0.45 to 0.81, prices 0.03 to 0.13, promotions 0.005 to 0.011.
    """
    table = simulated(chance.seed(5), n_stores=12, n_weeks=30, n_brands=3, store_spread=1.5)
    alp = [
        risk("lp").function(table, "store", (), **ROLES, variables=[name]).detail["alp"]
        for name in ("response", "price", "promotions")
    ]
    assert alp[0] > 1.5 * alp[1] > 2 * alp[2]


def test_the_measure_is_described_pure_and_independent_of_order() -> None:
    (measure,) = PANEL_RISKS
    assert "Reference: " in measure.documentation and measure.function.__name__ == measure.name
    table = simulated(6, n_stores=5, n_weeks=8, n_brands=2)
    copy = table.copy(deep=True)
    value = measure.function(table, "store", (), **ROLES).value
    pd.testing.assert_frame_equal(table, copy)
    shuffled = table.sample(frac=1, random_state=1)
    assert measure.function(shuffled, "store", (), **ROLES).value == pytest.approx(value, abs=1e-9)
    with pytest.raises(ValueError, match="no column 'shop'"):
        measure.function(table, "shop", (), **ROLES)
    with pytest.raises(ValueError, match="two rows for one brand and period"):
        measure.function(pd.concat([table, table]), "store", (), **ROLES)


def test_subject_periods_without_all_brands_are_left_out_and_counted() -> None:
    table = simulated(7, n_stores=4, n_weeks=6, n_brands=2).drop(index=[0, 1])
    data = subject_periods(StorePanel.of(table, COLUMNS))
    assert len(data.subject) == 22 and data.n_dropped == 2
