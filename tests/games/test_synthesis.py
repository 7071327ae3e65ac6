"""The house's generators beside their peers: scikit-learn's trees, SciPy's ranks, discrete noise."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from games.seek.cart import LEAST_LEAF, Feature, best_split, impurity, tree_donors
from games.seek.copula import copula
from games.seek.private_counts import noisy_counts
from games.seek.synthesis import GENERATORS, bootstrap, opendp, tree
from tests.chance import FALSE_ALARM, errors_allowed, generator
from tests.conftest import missing


def numbers(seed: int, n: int = 80) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Three columns of distinct numbers, a response, and classes that depend on them."""
    rng = np.random.default_rng(seed)
    columns = rng.random((n, 3))
    response = columns[:, 0] * 3 + rng.random(n)
    return columns, response, (response * 2).astype(np.int64)


@pytest.mark.parametrize("seed", range(10))
def test_a_split_lowers_the_impurity_as_much_as_scikit_learns(seed: int) -> None:
    columns, response, classes = numbers(seed)
    predictors = [Feature(column) for column in columns.T]
    for target, peer in (
        (Feature(response), DecisionTreeRegressor(max_depth=1, min_samples_leaf=LEAST_LEAF)),
        (Feature(classes, True), DecisionTreeClassifier(max_depth=1, min_samples_leaf=LEAST_LEAF)),
    ):
        grown = peer.fit(columns, target.values).tree_
        sizes, impurities = grown.n_node_samples, grown.impurity
        gain = sizes[0] * impurities[0] - sizes[1] * impurities[1] - sizes[2] * impurities[2]
        found = best_split(predictors, target)
        assert found is not None
        assert (found.column, found.gain) == (grown.feature[0], pytest.approx(gain, rel=1e-9))
        assert impurity(target) == pytest.approx(sizes[0] * impurities[0], rel=1e-9)
        left = found.goes_left(predictors[found.column])
        assert left.tolist() == (columns[:, found.column] <= grown.threshold[0]).tolist()


@pytest.mark.parametrize("seed", range(10))
def test_categories_are_split_as_well_as_by_trying_every_subset(seed: int) -> None:
    """Breiman et al. 1984, 4.2.2: for numbers and two classes the order of means holds the best subset."""
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, 5, 60)
    response = Feature(kinds % 3 + rng.random(60))
    yes = Feature((rng.random(60) < (kinds + 1) / 7).astype(np.int64), True)
    for target in (response, yes):
        best = 0.0
        for subset in range(1, 2**5 - 1):
            left = np.isin(kinds, [kind for kind in range(5) if subset >> kind & 1])
            if LEAST_LEAF <= left.sum() <= 60 - LEAST_LEAF:
                parts = (np.flatnonzero(left), np.flatnonzero(~left))
                gain = impurity(target) - sum(impurity(target.take(rows)) for rows in parts)
                best = max(best, gain)
        found = best_split([Feature(kinds, True)], target)
        assert found is not None and found.gain == pytest.approx(best, rel=1e-9)


def test_a_donor_is_from_the_leaf_that_scikit_learn_finds() -> None:
    columns, response, _ = numbers(3, 300)
    predictors = [Feature(column) for column in columns.T]
    asked = np.random.default_rng(9).random((500, 3))
    donors = tree_donors(
        predictors, Feature(response), [Feature(column) for column in asked.T], np.random.default_rng(1)
    )
    peer = DecisionTreeRegressor(min_samples_leaf=LEAST_LEAF).fit(columns, response)
    # Midpoints and left values cut the training rows alike; an asked row between the two may go either way.
    same = peer.apply(columns)[donors] == peer.apply(asked)
    assert same.mean() > 0.9
    own = tree_donors(predictors, Feature(response), predictors, np.random.default_rng(2))
    assert (peer.apply(columns)[own] == peer.apply(columns)).all()


def table(n: int = 400) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(4)
    height = np.round(rng.normal(size=n) * 10 + 170, 1)
    weight = np.round(height - 100 + rng.normal(size=n) * 8, 1)
    kind = np.where(weight > 75, "big", np.where(rng.random(n) < 0.2, "odd", "small")).astype(object)
    return {"height": height, "weight": weight, "kind": kind}


def test_a_copula_keeps_margins_and_the_correlation_of_ranks() -> None:
    data = table()
    made = copula(data, data, 4000, 1.0, generator(5))
    for name in ("height", "weight"):
        assert stats.ks_2samp(made[name], data[name]).pvalue > FALSE_ALARM / 4
    before, after = (stats.spearmanr(one["height"], one["weight"]).statistic for one in (data, made))
    # Spearman's ρ of N pairs has a standard error below 1 / √N; both samples err.
    assert abs(before - after) < errors_allowed(4) * (1 / np.sqrt(400) + 1 / np.sqrt(4000))
    shares = [np.mean(one["kind"] == "big") for one in (data, made)]
    assert abs(shares[0] - shares[1]) < errors_allowed(4) * 0.5 / np.sqrt(4000)


def test_a_tree_keeps_what_follows_from_other_columns() -> None:
    """*big* is whoever weighs more than 75; leaves of five rows know it but for a few."""
    data = table()
    made = tree(data, data, 2000, 1.0, np.random.default_rng(6))
    wrong = np.mean((made["weight"] > 75) != (made["kind"] == "big"))
    apart = GENERATORS["marginals"](data, data, 2000, 1e6, np.random.default_rng(6))
    assert wrong == 0
    assert np.mean((apart["weight"] > 75) != (apart["kind"] == "big")) > 0.2


def test_a_bootstrap_moves_rows_a_little() -> None:
    data = table()
    made = bootstrap(data, data, 2000, 1.0, np.random.default_rng(7))
    pairs = np.column_stack([data["height"], data["weight"]])
    found = np.column_stack([made["height"], made["weight"]])
    nearest = np.abs(found[:, None, :] - pairs[None]).max(axis=2).min(axis=1)
    assert np.median(nearest) < 0.1 * data["height"].std()
    assert 0 < np.mean(nearest > 0) < 1


@pytest.mark.parametrize("name", GENERATORS)
@pytest.mark.parametrize("n", [1, 2, 7])
def test_small_tables_and_constant_columns_are_no_obstacle(name: str, n: int) -> None:
    data: dict[str, Any] = {"a": np.full(n, 3), "b": np.array(["x"] * n, dtype=object), "c": np.arange(n) / 2}
    made = GENERATORS[name](data, data, 5, 1.0, np.random.default_rng(8))
    assert {cells: len(made[cells]) for cells in made} == {"a": 5, "b": 5, "c": 5}
    assert set(made["a"].tolist()) == {3} and set(made["b"].tolist()) == {"x"}


def require_opendp() -> None:
    if importlib.util.find_spec("opendp") is None:
        missing("OpenDP absent: requirements/dev.lock has it")


def test_the_noise_of_opendp_is_that_of_its_formula() -> None:
    """Discrete Laplace with the scale s: variance 2a / (1 − a)² with a = e^(−1/s); 0 on the mean."""
    require_opendp()
    n, sensitivity, epsilon = 20_000, 7, 2.0
    noise = noisy_counts(np.zeros(n, dtype=np.int64), sensitivity, epsilon)
    a = np.exp(-epsilon / sensitivity)
    spread = np.sqrt(2 * a) / (1 - a)
    assert abs(noise.mean()) < errors_allowed(2) * spread / np.sqrt(n)
    # The kurtosis of Laplace noise is 6, so that its sample variance has the relative error √(5 / N).
    assert abs(noise.var() / spread**2 - 1) < errors_allowed(2) * np.sqrt(5.5 / n)


@pytest.mark.parametrize("epsilon", [0.1, 1 / 3, 1.0, 10.0])
def test_the_epsilon_that_opendp_proves_is_not_exceeded(epsilon: float) -> None:
    require_opendp()
    import opendp.prelude as dp

    made: list[float] = []
    make = dp.m.make_laplace

    def recorded(*space: Any, scale: float) -> Any:
        measurement = make(*space, scale=scale)
        made.append(measurement.map(d_in=3))
        return measurement

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dp.m, "make_laplace", recorded)
        noisy_counts(np.zeros(3, dtype=np.int64), 3, epsilon)
    assert made[-1] <= epsilon and made[-1] == pytest.approx(epsilon, rel=1e-9)


def test_private_counts_keep_pairs_where_the_noise_is_small() -> None:
    """With ε = 10⁶ the noise is 0, so that no pair appears that the training set lacks."""
    require_opendp()
    first = np.random.default_rng(2).integers(0, 5, 300)
    data = {"a": first, "b": np.array([f"v{x}" for x in first.tolist()], dtype=object)}
    made = opendp(data, data, 200, 1e6, np.random.default_rng(3))
    assert all(f"v{a}" == b for a, b in zip(made["a"].tolist(), made["b"].tolist(), strict=True))
    alone = opendp({"a": first}, data, 200, 1e6, np.random.default_rng(3))
    assert set(alone["a"].tolist()) <= set(range(5))
