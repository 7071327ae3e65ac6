"""The benchmark protections of a panel (Table 6 of Li et al. 2022): what each keeps, promises and refuses."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from anonymizers.anonymizer import ParameterError
from anonymizers.release import CannotProtect
from anonymizers.table_method import TableResult
from anonymizers.table_registry import run_table_method
from scoring.examples import four_panelists
from scoring.risk.person_k_anonymity import person_k_anonymity
from tests import chance
from tests.bench.panel_simulation import simulated_panel

BRANDS = [f"brand{number}" for number in range(4)]
ROLES = {"id": "who", "qid": ["week", *BRANDS], "period": "week", "price": "price"}
METHODS = ("panel-aggregate", "panel-cluster", "panel-delete", "panel-swap", "panel-dirichlet")


def panel(people: int = 120) -> pd.DataFrame:
    table = simulated_panel(people, (0.1, 0.2, 0.3, 0.4), 3)
    rng = np.random.default_rng(4)
    return table.assign(week=rng.integers(1, 5, size=len(table)), price=rng.integers(1, 9, size=len(table)))


def protect(name: str, table: pd.DataFrame, seed: int = 1, **parameters: object) -> TableResult:
    roles = ROLES if name in ("panel-aggregate", "panel-cluster") else ROLES | {"price": ()}
    return run_table_method(name, table, {r: c for r, c in roles.items() if c}, seed, parameters)


@pytest.mark.parametrize("name", METHODS)
def test_the_same_seed_gives_the_same_table_and_the_input_is_untouched(name: str) -> None:
    table = panel()
    before = table.copy(deep=True)
    one, same = protect(name, table), protect(name, table)
    pd.testing.assert_frame_equal(one.table, same.table)
    pd.testing.assert_frame_equal(table, before)
    assert one.report["method"] == name and one.report["records"] == len(table)


@pytest.mark.parametrize("name", METHODS)
def test_missing_values_are_refused_with_their_place(name: str) -> None:
    table = panel().astype({"brand2": float})
    table.loc[7, "brand2"] = math.nan
    with pytest.raises(
        CannotProtect, match=rf"{name} needs a value in every cell. Column 'brand2' lacks 1, first in row 8"
    ):
        protect(name, table)


@pytest.mark.parametrize("name", [name for name in METHODS if name != "panel-delete"])
def test_negative_units_and_texts_are_refused(name: str) -> None:
    with pytest.raises(CannotProtect, match=r"needs units >= 0 in column 'brand0'\. Got -1 in row 1\."):
        protect(name, panel().assign(brand0=-1))
    with pytest.raises(CannotProtect, match="needs numbers in column 'brand0'"):
        protect(name, panel().assign(brand0="many"))


def test_aggregation_equals_sums_by_pandas() -> None:
    table = panel()
    sales = protect("panel-aggregate", table).table
    expected = table.groupby("week")[BRANDS].sum()
    np.testing.assert_array_equal(sales[BRANDS].to_numpy(), expected.to_numpy())
    np.testing.assert_allclose(sales["price"], table.groupby("week")["price"].mean())
    assert "who" not in sales and sales["records"].sum() == len(table)


@pytest.mark.parametrize("combine", ["sum", "mean"])
@pytest.mark.parametrize("k", [2, 5])
def test_clusters_are_k_anonymous_and_stay_in_their_week(k: int, combine: str) -> None:
    table = panel()
    done = protect("panel-cluster", table, k=k, combine=combine)
    assert done.report["panelist_periods_below_k"] == 0
    assert person_k_anonymity(done.table, "who", ["week", *BRANDS]).value >= k
    pd.testing.assert_frame_equal(done.table[["who", "week"]], table[["who", "week"]])
    held = done.table.groupby(["week", *BRANDS, "price"])["who"].nunique()
    assert held.min() >= k
    if combine == "sum":
        # The units of a cluster, once for each cluster, are the units of the week.
        shown = done.table.drop_duplicates(["week", *BRANDS, "price"]).groupby("week")[BRANDS].sum()
        pd.testing.assert_frame_equal(shown, table.groupby("week")[BRANDS].sum())


def test_a_week_with_too_few_panelists_is_told() -> None:
    """Li et al., section 5.5: two customers of a week reach at most 2-anonymity."""
    table = pd.concat([panel(), panel().head(40).query("who < 2").assign(week=9)])
    done = protect("panel-cluster", table, k=5)
    assert done.report["panelist_periods_below_k"] == 2
    assert person_k_anonymity(done.table, "who", ["week", *BRANDS]).value == 2


def test_deletion_keeps_exactly_what_k_panelists_share() -> None:
    table = panel()
    done = protect("panel-delete", table, k=4)
    held = table.groupby(["week", *BRANDS])["who"].transform("nunique")
    pd.testing.assert_frame_equal(done.table, table[held >= 4])
    assert done.report["records_deleted"] == int((held < 4).sum())


def test_deleting_in_the_papers_example_removes_the_one_unique_record() -> None:
    """Figure 4(a): A1 = (2, 2, 2) goes."""
    columns = {"id": "panelist", "qid": ["week", "lays", "ruffles"]}
    done = run_table_method("panel-delete", four_panelists(), columns, 1, {"k": 2})
    assert len(done.table) == 10 and not (done.table[columns["qid"]] == 2).all(axis=1).any()


def test_swapping_keeps_totals_and_alters_the_share_at_most() -> None:
    table = panel()
    done = protect("panel-swap", table, share=0.2)
    assert sorted(map(tuple, done.table[BRANDS].to_numpy())) == sorted(map(tuple, table[BRANDS].to_numpy()))
    changed = (done.table[BRANDS] != table[BRANDS]).any(axis=1).sum()
    assert 0 < changed <= done.report["records_swapped"] == 2 * (round(0.2 * len(table)) // 2)


def test_dirichlet_keeps_units_of_records_and_forgets_brands_with_small_epsilon() -> None:
    """With 40 seeds the shares of a strong protection spread over 0.012, deviation 0.005, and those of a weak
    one were off by up to 0.013 (0.005), so that 0.05 is seven deviations. What is kept spreads over 0.24."""
    table = panel(600)
    strong, weak = (
        protect("panel-dirichlet", table, chance.seed(1), epsilon=epsilon) for epsilon in (0.01, 50)
    )
    choices = (table[BRANDS] > 0).sum()
    assert strong.report["prior"] == pytest.approx(choices.sum() / math.expm1(0.01))
    for done in (strong, weak):
        pd.testing.assert_series_equal(done.table[BRANDS].sum(axis=1), table[BRANDS].sum(axis=1))
    # With a prior of about 100 n on each brand all are nearly alike; with none, shares stay, up to draws.
    units = {name: np.bincount(np.nonzero(done.table[BRANDS].to_numpy())[1]) for name, done in
             (("strong", strong), ("weak", weak))}  # fmt: skip
    assert np.ptp(units["strong"] / units["strong"].sum()) < 0.05
    assert np.abs(units["weak"] / units["weak"].sum() - choices / choices.sum()).max() < 0.05


@pytest.mark.parametrize(
    ("name", "parameters", "reason"),
    [
        ("panel-cluster", {"k": 1}, "must be an integer >= 2. Got 1"),
        ("panel-cluster", {"k": 999}, "at most the number of people, 120. Got 999"),
        ("panel-delete", {"k": 999}, "would delete every record"),
        ("panel-swap", {"share": 1.5}, "must be a number from 0 to 1. Got 1.5"),
        ("panel-dirichlet", {"epsilon": 0}, "must be a number from 0.01 to 50. Got 0"),
    ],
)
def test_parameters_out_of_range_are_refused(name: str, parameters: dict[str, object], reason: str) -> None:
    with pytest.raises((ParameterError, CannotProtect), match=reason):
        protect(name, panel(), **parameters)


def test_only_a_period_is_no_panel() -> None:
    with pytest.raises(CannotProtect, match="needs columns of units"):
        run_table_method("panel-swap", panel(), {"id": "who", "qid": "week", "period": "week"}, 1, {})
