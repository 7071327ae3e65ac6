"""bayes-synthetic and the simple protections of a response on store panels."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from anonymizers.anonymizer import ParameterError
from anonymizers.release import CannotProtect
from anonymizers.table_registry import run_table_method
from tests.pos.panels import COLUMNS, simulated

METHODS = ("bayes-synthetic", "response-noise", "response-round", "response-topcode", "response-swap")


def panel() -> pd.DataFrame:
    return simulated(1, n_stores=8, n_weeks=20, n_brands=2)


@pytest.mark.parametrize("name", METHODS)
def test_only_the_response_changes_and_the_table_is_left_as_it_was(name: str) -> None:
    table = panel()
    before = table.copy(deep=True)
    done = run_table_method(name, table, COLUMNS, 1, {})
    pd.testing.assert_frame_equal(table, before)
    pd.testing.assert_frame_equal(done.table.drop(columns="units"), before.drop(columns="units"))
    assert (done.table.units > 0).all() and (done.table.units != before.units).any()
    assert done.report["method"] == name


@pytest.mark.parametrize("name", METHODS)
def test_same_seed_same_table(name: str) -> None:
    tables = [run_table_method(name, panel(), COLUMNS, seed, {}).table for seed in (1, 1, 2)]
    pd.testing.assert_frame_equal(tables[0], tables[1])
    if name not in ("response-round", "response-topcode"):
        assert not tables[0].equals(tables[2])


def test_brands_do_not_influence_each_other() -> None:
    table = panel()
    alone = table[table.brand == "b1"].reset_index(drop=True)
    both = run_table_method("bayes-synthetic", table, COLUMNS, 1, {}).table
    one = run_table_method("bayes-synthetic", alone, COLUMNS, 1, {}).table
    np.testing.assert_array_equal(both[both.brand == "b1"].units.to_numpy(), one.units.to_numpy())


def test_chains_that_did_not_converge_are_refused() -> None:
    """32 draws can never be 100 effective ones, so luck has no part in this."""
    hasty = {"burn_in": 0, "draws": 8}
    with pytest.raises(CannotProtect, match=r"brand b1 did not converge; nothing is released: R-hat"):
        run_table_method("bayes-synthetic", panel(), COLUMNS, 1, hasty)


def test_the_report_holds_diagnostics_and_a_trace() -> None:
    """In six panels R-hat was 1.005 at most and 1,285 draws or more were effective."""
    report = run_table_method("bayes-synthetic", panel(), COLUMNS, 1, {"draws": 500}).report
    brand = report["brands"]["b2"]
    assert brand["rhat"] < 1.05 and brand["effective_draws"] > 100
    assert set(brand["trace"]) == {"intercept", "price", "feature", "display", "both", "tau2", "sigma2_u"}
    assert np.shape(brand["trace"]["price"]) == (4, 167)


def test_groups_of_stores_with_their_own_kappa() -> None:
    """σ² of the hidden group is 4e-7, that of the other 0.09 to 0.33 in six panels."""
    table = panel().assign(size=lambda t: np.where(t.store < "s04", "large", "small"))
    columns = COLUMNS | {"group": "size"}
    report = run_table_method(
        "bayes-synthetic", table, columns, 1, {"kappa": 0.1, "group_kappa": "large=50"}
    ).report
    assert report["groups"] == {"large": 50.0, "small": 0.1}
    mean = report["brands"]["b1"]["mean"]
    assert mean["sigma2_u_1"] < 0.01 < mean["sigma2_u_2"]
    with pytest.raises(ParameterError, match="groups among large, small"):
        run_table_method("bayes-synthetic", table, columns, 1, {"group_kappa": "huge=3"})


def test_whole_numbers_stay_whole_and_positive() -> None:
    table = panel().assign(units=lambda t: np.ceil(t.units / 200).astype(int))
    for name in METHODS:
        units = run_table_method(name, table, COLUMNS, 1, {}).table.units
        assert units.dtype == np.int64 and units.min() >= 1


@pytest.mark.parametrize("value", [0, -3, float("inf")])
def test_a_response_without_a_logarithm_is_refused(value: float) -> None:
    table = panel()
    table.loc[6, "units"] = value
    for name in METHODS:
        with pytest.raises(CannotProtect, match=r"Column units, row 7: got .* expected a positive number"):
            run_table_method(name, table, COLUMNS, 1, {})


def test_the_simple_protections_do_what_table_1_says() -> None:
    table = panel()
    by_brand = [table.brand == brand for brand in ("b1", "b2")]
    rounded = run_table_method("response-round", table, COLUMNS, 1, {}).table.units
    assert (rounded % 100 == 0)[table.units >= 100].all()
    assert ((rounded - table.units).abs() <= 50 + 1e-9)[table.units >= 100].all()
    cut = run_table_method("response-topcode", table, COLUMNS, 1, {}).table.units
    for rows in by_brand:
        assert cut[rows].max() <= np.quantile(table.units[rows], 0.95)
        assert (cut[rows] == table.units[rows]).mean() >= 0.94
    for share in (0.2, 0.5):
        swapped = run_table_method("response-swap", table, COLUMNS, 1, {"share": share}).table.units
        for rows in by_brand:
            assert sorted(swapped[rows]) == sorted(table.units[rows])
            assert (swapped[rows] != table.units[rows]).mean() == share
    noisy = run_table_method("response-noise", table, COLUMNS, 1, {}).table.units
    ranks = table.units[by_brand[0]].rank(pct=True)
    gap = (noisy - table.units).abs()[by_brand[0]]
    # In six panels 16 to 50 times; noise that does not grow with sales would give 1.
    assert gap[ranks > 0.9].mean() > 3 * gap[(ranks > 0.4) & (ranks < 0.6)].mean()


def test_the_market_is_the_sum_of_its_stores() -> None:
    table = panel()
    market = run_table_method("market-level", table, COLUMNS, 1, {}).table
    expected = table.groupby(["brand", "week"])
    assert len(market) == 40 and set(market.store) == {"market"}
    np.testing.assert_allclose(market.units, expected.units.sum().to_numpy())
    np.testing.assert_allclose(market.price, expected.price.mean().to_numpy())
    np.testing.assert_allclose(market.both, expected.both.mean().to_numpy())
