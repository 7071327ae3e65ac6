"""The masking measures against SciPy, pandas and scikit-learn."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from scoring.masking.combine import combine
from scoring.masking.margins import ks_distance, margins
from scoring.masking.pp_plot import pp_plot
from scoring.masking.relations import (
    explained_share,
    linear_regression,
    poisson_regression,
    quadratic_regression,
)
from scoring.masking.report import masking_report
from tests.masking.tables import COLUMNS, consumers


@pytest.mark.parametrize("seed", range(5))
def test_margins_are_those_of_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.gamma(2.0, size=60).round(1), rng.gamma(2.5, size=60).round(1)
    found = margins(x, y)
    assert found.ks == pytest.approx(stats.ks_2samp(x, y).statistic)
    assert found.moments["skewness"] == pytest.approx(stats.skew(y) - stats.skew(x))
    assert found.moments["kurtosis"] == pytest.approx(stats.kurtosis(y) - stats.kurtosis(x))
    assert found.moments["variance"] == pytest.approx(pd.Series(y).var() - pd.Series(x).var())
    assert ks_distance(x, x) == 0


def test_regressions_are_those_of_other_libraries() -> None:
    from sklearn.linear_model import PoissonRegressor

    table = consumers(500, np.random.default_rng(3))
    line = stats.linregress(table["S1"], table["X1"])
    ours = linear_regression(table["X1"], table[["S1"]])
    assert ours.estimates["S1"] == pytest.approx(line.slope)
    assert ours.errors["S1"] == pytest.approx(line.stderr)
    square = quadratic_regression(table["X2"], table["S1"]).estimates
    np.testing.assert_allclose(
        [square["S1²"], square["S1"], square["const"]], np.polyfit(table["S1"], table["X2"], 2)
    )
    # The peer stops where its gradient is 1e-10; 1e-5 leaves room for its kernels, which differ by processor.
    peer = PoissonRegressor(alpha=0, tol=1e-10, max_iter=1000).fit(table[["S1"]], table["X3"])
    assert poisson_regression(table["X3"], table[["S1"]]).estimates["S1"] == pytest.approx(
        peer.coef_[0], abs=1e-5
    )
    share = explained_share(table["X1"], table["S1"])
    assert share == pytest.approx(line.rvalue**2)


def test_unchanged_data_scores_best() -> None:
    table = consumers(200, np.random.default_rng(4))
    report = masking_report(table, table, COLUMNS["confidential"], COLUMNS["given"])
    assert report["largest_correlation_change"]["pearson"]["change"] == 0
    for column in report["columns"].values():
        assert column["ks"] == 0
        assert column["mean_distance"] == 0
        assert column["explained_share"] == pytest.approx(1)
        assert set(column["moments"].values()) == {0.0}
        assert column["linear"]["S1"]["masked"] == column["linear"]["S1"]["original"]
    assert "poisson" in report["columns"]["X3"]
    before, after = pp_plot(table["X1"], table["X1"])
    np.testing.assert_array_equal(before, after)


def test_the_combining_rules_are_the_published_ones() -> None:
    """Reiter (2003): T = ū + b/m. Raghunathan, Reiter and Rubin (2003): T = (1 + 1/m) b − ū."""
    estimates, variances = [1.0, 2.0, 4.0], [0.1, 0.2, 0.3]
    assert combine(estimates, variances).variance == pytest.approx(0.2 + (7 / 3) / 3)
    full = combine(estimates, variances, "full")
    assert full.variance == pytest.approx((4 / 3) * (7 / 3) - 0.2)
    with pytest.raises(ValueError, match="two or more"):
        combine([1.0], [1.0])
