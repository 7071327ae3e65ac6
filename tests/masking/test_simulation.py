"""The simulations of Qian and Xie 5.1 and 5.4 against their printed tables; `make bench` reports them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tests import chance
from tests.masking.comparison import LIMIT, compared
from tests.masking.printed import TABLE_3
from tests.masking.simulation import explained, simulate

REPLICATIONS = 20
MASKED = 40


@pytest.mark.slow
@pytest.mark.parametrize("n", [100, 500, 1000])
def test_tables_1_and_2_row_by_row(n: int) -> None:
    """False alarm 1e-6 over all rows of all three sizes, see `LIMIT` and `SHIFT`.

    Seen with 20 replications: an average that is 2.7 printed deviations off, always. Fitting only linear
    terms loses β42, 13 deviations; drawing X3 as C-GADP does, its mean, 3 to 9. A search that stopped like
    the printed one would put MORE-S's β42 at N = 1000 at −0.049 instead of 0, 8.5 errors.
    """
    rows = compared(n, simulate(n, REPLICATIONS, chance.seed(1)))
    print(*rows, sep="\n")
    assert len(rows) == 34
    assert not [str(row) for row in rows if row.surprises]
    listed = [row for row in rows if row.documented]
    assert {row.name for row in listed if row.from_theory > LIMIT} == set(), listed


@pytest.mark.parametrize("method", ["dsp", "more-p", "more-s"])
@pytest.mark.parametrize("correlation", [0.0, 0.6, 0.95])
def test_table_3_masked_values_explain_nothing(method: str, correlation: float) -> None:
    """R² of independent normal columns is Beta(1/2, (N − 2)/2), on average 1/(N − 1); Table 3 prints its
    square.

    −2 Σ ln P(R² or more) is then χ² with two degrees of freedom for each replication. False alarm 1e-6 over
    all nine cases. Seen: an R² of 0.04 instead of 0.01 in every table gives about 246, where 166 is allowed.
    """
    shares = explained(method, 100, correlation, MASKED, chance.seed(3))
    chances = stats.beta.sf(shares, 1 / 2, 98 / 2)
    low, high = chance.variance_ratios_allowed(2 * MASKED, comparisons=9)
    assert low < -2 * np.log(chances).sum() / (2 * MASKED) < high
    printed = TABLE_3[100][correlation][("dsp", "more-p", "more-s").index(method)]
    assert printed == pytest.approx((1 / 99) ** 2, rel=0.2)
