"""Multiple imputation: do the combined errors tell the truth about the estimates?"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from anonymizers.table_registry import run_table_method
from arithmetic import exp
from scoring.masking.combine import combine
from scoring.masking.relations import linear_regression, poisson_regression
from tests import chance

COLUMNS = {"confidential": ["X"], "given": ["S"]}
REPLICATIONS = 300
SLOPE = 0.8


def line(rng: np.random.Generator) -> pd.DataFrame:
    income = rng.normal(size=120)
    return pd.DataFrame({"S": income, "X": SLOPE * income + rng.normal(size=120)})


@pytest.mark.slow
@pytest.mark.parametrize("method", ["more-mi", "mi"])
def test_the_combined_error_covers_the_truth(method: str) -> None:
    """Over repeated samples the combined variance must be that of the combined estimate.

    The error of one masked table analysed as if it were original is too small by a factor of 1.4 or more,
    which is why Qian and Xie ask for a multiple-imputation version. False alarm 1e-6 for each of the three
    statements. Seen: such an error in the combined variance, half of what it should be (0.64 is allowed), and
    intervals of half the right width, which hold the truth 200 times of 300 (264 are demanded).
    """
    rng = chance.generator(31)
    combined, single = [], []
    for turn in range(REPLICATIONS):
        table = line(rng)
        copies = run_table_method(method, table, COLUMNS, chance.seed(turn), {"copies": "4"}).table
        fits = [linear_regression(part["X"], part[["S"]]) for _, part in copies.groupby("copy")]
        estimates = [fit.estimates["S"] for fit in fits]
        combined.append(combine(estimates, [fit.errors["S"] ** 2 for fit in fits]))
        single.append((estimates[0], fits[0].errors["S"] ** 2))
    spread = np.var([one.estimate for one in combined], ddof=1)
    told = np.mean([one.variance for one in combined])
    low, high = chance.variance_ratios_allowed(REPLICATIONS - 1)
    # The rule may err by a fifth on the safe side: more-mi's posterior is an approximation.
    assert 1 / high < told / spread < 1.2 / low
    inside = [
        abs(one.estimate - SLOPE) < stats.t.ppf(0.975, one.freedom) * np.sqrt(one.variance)
        for one in combined
    ]
    print(f"{method}: combined variance {told / spread:.2f} of the true one, {sum(inside)} intervals hold")
    assert sum(inside) >= chance.fewest(REPLICATIONS, 0.95)
    naive = np.mean([variance for _, variance in single]) / np.var([q for q, _ in single], ddof=1)
    # With another seed 0.36 against 1.12: nine errors of the ratio of two such variances.
    assert naive < told / spread


def test_parametric_imputation_keeps_a_poisson_relation_and_loses_the_margin() -> None:
    """5.5: MI by a Poisson model keeps the regression but not the margin of data that vary more.

    In ten tables slopes moved by 0.01 to 0.02 with a deviation of 0.023, so 0.2 is eight deviations and a
    lost relation 0.6; zeros of MORE by 0.00 (0.007), those of MI by 0.21 (0.014).
    """
    rng = chance.generator(5)
    competition = rng.normal(size=1500)
    # Gamma-mixed counts: twice the variance and more of a Poisson model with the same means.
    counts = rng.poisson(exp(0.5 + 0.6 * competition) * rng.gamma(0.7, 1 / 0.7, size=1500))
    table = pd.DataFrame({"S": competition, "X": counts})
    slope = poisson_regression(table["X"], table[["S"]]).estimates["S"]
    imputed = run_table_method("mi", table, COLUMNS, chance.seed(1), {"copies": "2"})
    masked = run_table_method("more-p", table, COLUMNS, chance.seed(1), {}).table
    assert imputed.report["families"] == {"X": "poisson"}
    first = imputed.table[imputed.table["copy"] == 1]
    for released in (first, masked):
        kept = poisson_regression(released["X"], released[["S"]]).estimates["S"]
        assert kept == pytest.approx(slope, abs=0.2)
    zeros = (counts == 0).mean()
    assert abs((masked["X"] == 0).mean() - zeros) < 0.06
    assert zeros - (first["X"] == 0).mean() > 0.1
