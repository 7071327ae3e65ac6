"""gh-tree and its peers: the paper's example, an oracle, the theorems, and tables at the edges."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from anonymizers.anonymizer import ParameterError
from anonymizers.engines.gh_tree.coding import code_table
from anonymizers.engines.gh_tree.explain import candidate_splits, stories
from anonymizers.engines.gh_tree.partition import Rule, partition
from anonymizers.release import CannotProtect
from anonymizers.table_method import TableResult
from anonymizers.table_registry import run_table_method
from arithmetic import exp
from scoring.examples import eight_patients
from scoring.risk.ane import ane
from scoring.risk.g_balance import g_balance
from scoring.risk.gidr import gidr
from scoring.risk.gsar import gsar
from scoring.risk.h_affiliation import h_affiliation
from scoring.risk.k_anonymity import k_anonymity
from scoring.risk.l_diversity import l_diversity
from scoring.risk.person_k_anonymity import person_k_anonymity
from tests import chance
from tests.anonymizers import tree_oracle

PATIENTS = {"id": "name", "qid": ["age", "gender", "zip"], "sensitive": ["disease"]}
MADE = {"id": "person", "qid": ["x", "y", "colour"], "sensitive": ["secret", "second"]}
few = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])


def made(n_records: int, n_people: int, seed: int, constant: bool = True) -> pd.DataFrame:
    """People with uneven numbers of records; x and y from 0 to 8, both ends and the middle in use."""
    rng = np.random.default_rng(seed)
    person = np.sort((n_people * rng.random(n_records) ** 2).astype(int))
    table = pd.DataFrame({"person": [f"p{number}" for number in person]})
    source = person if constant else np.arange(n_records)
    for name, top in (("x", 9), ("y", 9), ("colour", 3)):
        table[name] = rng.integers(top, size=max(n_records, n_people))[source]
    table.loc[0, ["x", "y"]] = 0
    table.loc[n_records // 2, ["x", "y"]] = 4
    table.loc[n_records - 1, ["x", "y"]] = 8
    table["colour"] = table.groupby("person")["colour"].transform("first").map(dict(enumerate("rgb")))
    table["secret"] = rng.integers(12, size=n_records)
    table["second"] = rng.integers(30, size=n_records)
    return table


def run(method: str, table: pd.DataFrame, columns: dict = MADE, **parameters: object) -> TableResult:
    return run_table_method(method, table, columns, 1, {"ids": "keep", **parameters})


def test_the_worked_example_to_the_last_printed_digit() -> None:
    """Kartal, Li (2020), sections 4 and 5.

    Printed for age are Δg = 0.1707 and r = 1.420; exactly they are 0.17082 and 1.42096. The printed figure is
    0.82 − 0.526 · 0.5 − 0.474 · 0.815 = 0.1707 with weights cut to three digits, and 0.1707 / 0.1202 = 1.420.
    """
    units = code_table(eight_patients(), "name", PATIENTS["qid"], ["disease"])
    people = eight_patients()["name"].unique()
    found = {split.attribute: split for split in candidate_splits(units, range(8))}
    printed = {
        "gender": ("AD", 0.1252, 0.1662, 0.753),
        "age": ("CH", 0.1708, 0.1202, 1.421),
        "zip": ("BCDE", 0.1802, 0.1959, 0.920),
    }
    assert round(0.82 - 0.526 * 0.5 - 0.474 * 0.815, 4) == 0.1707 and round(0.1707 / 0.1202, 3) == 1.420
    for name, (left, change, variance, ratio) in printed.items():
        split = found[name]
        assert "".join(people[number][0] for number in split.left) == left
        rounded = (round(split.change, 4), round(split.variance, 4), round(split.ratio, 3))
        assert rounded == (change, variance, ratio)
    root, first, second, third, fourth = stories(units, partition(units, Rule("balance-variance", 0.5, 0.5)))
    assert (round(root.balance, 2), root.affiliation, root.taken) == (0.82, 0.375, "gender")
    assert (first.balance, first.affiliation, first.taken) == (0.5, 0.5, "")
    assert (round(second.balance, 3), second.affiliation, second.taken) == (0.747, 0.5, "age")
    assert (third.balance, third.affiliation, third.taken) == (0.5, 0.5, "")
    assert (round(fourth.balance, 2), fourth.affiliation, fourth.taken) == (0.72, 0.5, "")


def test_the_groups_and_cells_of_table_6() -> None:
    """Table 6b: groups, ranges of age and ZIP, gender; and the g and h that section 5 states for them."""
    done = run("gh-tree", eight_patients(), PATIENTS, g=0.5, h=0.5)
    cells = done.table.groupby("qi_group")[["age", "gender", "zip"]].agg(["nunique", "first"])
    assert (cells.xs("nunique", axis=1, level=1) == 1).all(axis=None)
    people = done.table.groupby("qi_group")["name"].agg(lambda names: "".join(sorted({n[0] for n in names})))
    rows = cells.xs("first", axis=1, level=1).assign(people=people).to_numpy().tolist()
    assert rows == [
        ["[84;86]", "Female", "[20090;20375]", "AD"],
        ["[69;76]", "Male", "[20048;20400]", "CH"],
        ["[78;85]", "Male", "[20090;20420]", "BEFG"],
    ]
    assert [(line["g"], line["h"]) for line in done.report["group_list"]] == [
        (0.5, 0.5), (0.5, 0.5), (pytest.approx(0.72), 0.5)
    ]  # fmt: skip


@few
@given(
    st.integers(4, 40), st.integers(2, 12), st.integers(0, 10**6), st.sampled_from([0.0, 0.3, 0.5, 0.6]),
    st.sampled_from([1.0, 0.75, 0.5]), st.booleans(),
)  # fmt: skip
def test_the_engine_grows_the_tree_of_table_5(
    n_records: int, n_people: int, seed: int, g: float, h: float, constant: bool
) -> None:
    """Against the oracle, wherever no two ratios of a node are equal."""
    table = made(n_records, n_people, seed, constant)
    g_star, h_star = Fraction(g).limit_denominator(20), Fraction(h)
    if tree_oracle.balance(table) < g_star or tree_oracle.affiliation(table) > h_star:
        with pytest.raises(CannotProtect):
            run("gh-tree", table, g=g, h=h)
        return
    try:
        expected = tree_oracle.groups(table, ["x", "y"], ["colour"], g_star, h_star)
    except tree_oracle.EqualRatios:
        reject()
    done = run("gh-tree", table, g=g, h=h).table
    found = {frozenset(part) for _, part in done.groupby("qi_group")["person"]}
    assert found == expected


@few
@given(st.integers(2, 300), st.integers(1, 40), st.integers(0, 10**6), st.floats(0, 0.9), st.floats(0.2, 1))
def test_reports_are_what_the_measures_say_and_the_theorems_hold(
    n_records: int, n_people: int, seed: int, g: float, h: float
) -> None:
    """Theorem 1, Corollary 1 and Lemma 1 of the paper on the groups that the tree makes."""
    table = made(n_records, n_people, seed, constant=False)
    whole_g = g_balance(table, "person").value
    whole_h = h_affiliation(table, "person", sensitive=["secret", "second"]).value
    done = run("gh-tree", table, g=min(g, whole_g), h=max(h, whole_h))
    grouped, report = table.assign(qi_group=done.table["qi_group"]), done.report
    exposure = gidr(grouped, "person", ["qi_group"])
    secrets = gsar(grouped, "person", ["qi_group"], sensitive=["secret", "second"])
    loss = ane(grouped, "person", ["x", "y", "colour"], group="qi_group")
    assert (report["MaxGIDR"], report["AvgGIDR"]) == pytest.approx(
        (exposure.value, exposure.detail["average"])
    )
    assert (report["MaxGSAR"], report["AvgGSAR"]) == pytest.approx((secrets.value, secrets.detail["average"]))
    assert report["ANE"] == pytest.approx(loss.value) and report["groups"] == exposure.detail["groups"]
    assert report["least_g"] == pytest.approx(g_balance(grouped, "person", ["qi_group"]).value)
    assert report["least_g"] >= min(g, whole_g) - 1e-9 and report["MaxGSAR"] <= max(h, whole_h) + 1e-9
    assert report["MaxGSAR"] >= whole_h - 1e-12, "Lemma 1: some part has at least the h of the whole"
    assert grouped.groupby("person")["qi_group"].nunique().max() == 1
    for line in report["group_list"]:
        assert line["people"] >= 1 / (1 - line["g"]) - 1e-9, "Theorem 1"
        if line["people"] == line["records"]:
            assert line["people"] == pytest.approx(1 / (1 - line["g"])), "Corollary 1"


@few
@given(st.integers(20, 200), st.integers(8, 40), st.integers(0, 10**6), st.integers(1, 8))
def test_the_peers_keep_their_promise(n_records: int, n_people: int, seed: int, k: int) -> None:
    table = made(n_records, n_people, seed)
    k = min(k, table["person"].nunique())
    for together, cut in product((False, True), ("median", "narrowing")):
        done = run("mondrian", table, k=k, together=together, cut=cut)
        grouped = table.assign(qi_group=done.table["qi_group"])
        assert k_anonymity(grouped, "person", ["qi_group"]).value >= k
        assert not together or grouped.groupby("person")["qi_group"].nunique().max() == 1
    grouped = table.assign(qi_group=run("person-k", table, k=k).table["qi_group"])
    assert person_k_anonymity(grouped, "person", ["qi_group"]).value >= k
    whole = min(
        l_diversity(table.assign(all=1), "person", ["all"], sensitive=s).value for s in ("secret", "second")
    )
    grouped = table.assign(qi_group=run("mondrian", table, k=k, l=max(1, whole / 2)).table["qi_group"])
    for name in ("secret", "second"):
        assert l_diversity(grouped, "person", ["qi_group"], sensitive=name).value >= whole / 2 - 1e-9


def test_cutting_where_cells_narrow_loses_less_than_the_median_at_the_same_k() -> None:
    """On heavy-tailed attributes a median leaves wide cells; scoring's own ANE is the judge. In four tables
    0.79 to 0.83 of the median's loss."""
    rng = chance.generator(1)
    table = pd.DataFrame(np.round(exp(rng.normal(3, 1, (4000, 3)))), columns=["x", "y", "z"])
    table["person"] = range(4000)
    columns, losses = {"id": "person", "qid": ["x", "y", "z"]}, {}
    for cut in ("median", "narrowing"):
        group = run("mondrian", table, columns, k=5, cut=cut).table["qi_group"]
        losses[cut] = ane(table.assign(qi_group=group), "person", ["x", "y", "z"], group="qi_group").value
    assert losses["narrowing"] < losses["median"]


def test_a_person_who_is_everywhere_stays_in_one_group() -> None:
    """By record such a person is in many groups; gh-tree puts all their records in one, with wide cells."""
    table = made(200, 30, 2, constant=False)
    table.loc[::7, "person"] = "everywhere"
    by_record = run("mondrian", table, k=3).table
    # 22 to 26 in five tables.
    assert by_record.loc[by_record["person"] == "everywhere", "qi_group"].nunique() > 10
    done = run("gh-tree", table, g=0.6)
    theirs = done.table[done.table["person"] == "everywhere"]
    assert theirs["qi_group"].nunique() == 1 and theirs["x"].unique().tolist() == ["[0;8]"]
    assert done.report["least_g"] >= 0.6


def test_numbers_that_code_two_categories_are_not_cut_inside_a_category() -> None:
    """Section 4 codes gender as 0 and 1; so a column of 0 and 1 must behave as its names would."""
    table = eight_patients()
    coded = table.assign(gender=(table["gender"] == "Male").astype(int))
    named, numbered = (run("gh-tree", rows, PATIENTS, g=0.5, h=0.5) for rows in (table, coded))
    assert named.table["qi_group"].tolist() == numbered.table["qi_group"].tolist()
    assert named.report["ANE"] == pytest.approx(numbered.report["ANE"])


def test_generalised_cells_hold_what_the_records_said() -> None:
    table = made(200, 30, 3, constant=False)
    sizes = ["S", "M", "L"]
    table["size"] = [sizes[number % 3] for number in range(200)]
    columns = MADE | {"qid": ["x", "y", "colour", "size"]}
    done = run("gh-tree", table, columns, g=0.7, output="y=mean", orders="size:S<M<L")
    for before, after in zip(table.itertuples(), done.table.itertuples(), strict=True):
        low, high = _ends(after.x)
        assert float(low) <= before.x <= float(high)
        assert after.colour == "*" or before.colour in after.colour.strip("{}").split(";")
        low, high = _ends(after.size)
        assert sizes.index(low) <= sizes.index(before.size) <= sizes.index(high)
    means = table["y"].groupby(done.table["qi_group"]).mean()
    assert np.allclose(done.table["y"], means[done.table["qi_group"]])


def _ends(cell: str) -> tuple[str, str]:
    parts = cell.strip("[]").split(";")
    return parts[0], parts[-1]


def test_new_ids_tell_nothing_and_the_seed_decides() -> None:
    table = made(100, 20, 1)
    one, again, other = (
        run_table_method("gh-tree", table, MADE, seed, {"g": 0.6}).table for seed in (1, 1, 2)
    )
    pd.testing.assert_frame_equal(one, again)
    assert not set(one["person"]) & set(table["person"]) and not set(one["person"]) & set(other["person"])
    assert sorted(one["secret"]) == sorted(table["secret"])
    assert one["qi_group"].is_monotonic_increasing


def patients(column: str = "age", instead: object = 86, of: object = 86) -> pd.DataFrame:
    """The eight patients with one value replaced."""
    table = eight_patients()
    return table.assign(
        **{column: table[column].astype(object).where(table[column] != of, instead).infer_objects()}
    )


BAD: dict[str, tuple[pd.DataFrame, dict[str, object], str]] = {
    "g above the table's": (patients(), {"g": 0.9}, "as one group has a g-balance of 0.81"),
    "h below the table's": (patients(), {"g": 0.5, "h": 0.2}, "h-affiliation of 0.375"),
    "one person": (patients().head(2), {"g": 0.5}, "g-balance of 0,"),
    "missing age": (patients("age", np.nan), {"g": 0.5}, "'age' has 2 missing"),
    "missing id": (patients("name", None, "Bob"), {"g": 0.5}, "'name' has 1 missing"),
    "infinite age": (patients("age", np.inf), {"g": 0.5}, "infinite"),
    "lacking order": (patients(), {"g": 0.5, "orders": "gender:Male<Other"}, "lacks the value 'Female'"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_done_is_refused_with_a_reason(case: str) -> None:
    table, parameters, reason = BAD[case]
    with pytest.raises(CannotProtect, match=reason):
        run("gh-tree", table, PATIENTS, **parameters)


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"g": 1.5}, "must be a number from 0 to 0.999999"),
        ({"output": "gender=mean"}, "gender=set|mode"),
        ({"output": "height=mean"}, "about the columns age, gender, zip"),
        ({"output": "median"}, "Got 'median' instead"),
        ({"unordered": "height"}, "must name quasi-identifiers"),
        ({"orders": "gender"}, "COLUMN:A<B<C"),
    ],
)
def test_bad_parameters_are_named(parameters: dict[str, object], reason: str) -> None:
    with pytest.raises(ParameterError, match=reason.replace("|", r"\|")):
        run("gh-tree", eight_patients(), PATIENTS, **parameters)


def test_h_without_a_sensitive_column_and_columns_with_two_roles_are_refused() -> None:
    columns = {"id": "name", "qid": ["age"]}
    with pytest.raises(ParameterError, match="needs a sensitive column"):
        run("gh-tree", eight_patients(), columns, h=0.5)
    with pytest.raises(ParameterError, match="one role only"):
        run("gh-tree", eight_patients(), columns | {"sensitive": ["age"]}, h=0.5)


def test_edges_that_have_a_correct_answer() -> None:
    one = run("gh-tree", eight_patients().head(2), PATIENTS, g=0)
    assert one.report["groups"] == 1 and one.report["MaxGIDR"] == 1
    constant = eight_patients().assign(age=1, gender="x", zip=2)
    done = run("gh-tree", constant, PATIENTS, g=0.5)
    assert done.report["groups"] == 1 and done.report["ANE"] == 0
    assert done.table["age"].unique().tolist() == ["1"]


def test_a_hundred_thousand_categories() -> None:
    """Beyond 64 categories an unordered attribute is split by name, so the time stays O(N log N)."""
    n = 100_000
    names = [f"c{number:06d}" for number in range(n)]
    table = pd.DataFrame({"person": range(n), "place": names, "secret": np.arange(n) % 977})
    columns = {"id": "person", "qid": ["place"], "sensitive": ["secret"]}
    done = run("gh-tree", table, columns, g=0.9, h=0.5)
    assert done.report["fewest_people"] >= 10 and done.report["groups"] > n / 40
    assert "100000 categories" in done.report["notes"][0]


def test_row_order_and_labels_of_people_do_not_matter_to_the_groups() -> None:
    table = made(150, 25, 5, constant=False)
    # Ties between people with equal values and counts go to whoever comes first, so make values distinct.
    table["x"] = table["x"] + table["person"].str[1:].astype(int) / 1000
    other = table.sample(frac=1, random_state=1)
    groups = []
    for rows in (table, other):
        done = run("gh-tree", rows, MADE | {"qid": ["x", "colour"]}, g=0.7).table
        groups.append({frozenset(part) for _, part in done.groupby("qi_group")["person"]})
    assert groups[0] == groups[1]
