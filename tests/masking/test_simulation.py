"""The simulations of Qian and Xie 5.1 and 5.4 against their printed tables, with 20 replications.

At N = 500 and 1000 some printed figures cannot belong to a maximum of the likelihood: the expected distance
of X2 exceeds 2/√π = 1.128, the most that normal residuals of variance 1 allow, and the biases of β42 grow
with N. A search that stops early shows just that. Those rows are tested for being nearer the truth instead.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.masking.printed import TABLE_1, TABLE_2, TABLE_3
from tests.masking.simulation import distance_in_errors, explained, simulate

REPLICATIONS = 20
STOPPED_EARLY = {
    500: {("EMPD", "X2"), ("β42", ""), ("β51", ""), ("variance", "X2"), ("variance", "X3")},
    1000: {("EMPD", "X2"), ("β42", ""), ("β51", ""), ("variance", "X2"), ("variance", "X3"), ("mean", "X3")},
}


@pytest.mark.slow
@pytest.mark.parametrize("n", [100, 500, 1000])
def test_tables_1_and_2_within_monte_carlo_errors(n: int) -> None:
    found = simulate(n, REPLICATIONS, seed=1)
    known = STOPPED_EARLY.get(n, set())
    errors = {}
    for criterion, columns in TABLE_1[n].items():
        for column, (copula, more) in columns.items():
            errors["c-gadp", criterion, column] = distance_in_errors(
                found["c-gadp", criterion, column], copula
            )
            if (criterion, column) not in known:
                errors["more-p", criterion, column] = distance_in_errors(
                    found["more-p", criterion, column], more
                )
    for name, (perturbed, shuffled) in TABLE_2[n].items():
        if (name, "") not in known:
            errors["more-p", name, ""] = distance_in_errors(found["more-p", name, ""], perturbed)
            errors["more-s", name, ""] = distance_in_errors(found["more-s", name, ""], shuffled)
    far = {key: round(value, 1) for key, value in errors.items() if value > 2}
    # One row in twenty lies beyond two standard errors by chance alone.
    assert len(far) <= 0.1 * len(errors), far
    assert max(errors.values()) < 4, far


@pytest.mark.slow
def test_the_quadratic_coefficient_keeps_its_value_where_the_printed_one_drifts() -> None:
    """Printed at N = 500: β42 biased by −0.0253 (MORE-P) and −0.0294 (MORE-S); EMPD of X2 1.1336."""
    found = simulate(500, 8, seed=2)
    assert abs(found["more-s", "β42", ""].mean()) < 0.0147
    assert found["more-p", "EMPD", "X2"].mean() < 2 / np.sqrt(np.pi)


@pytest.mark.parametrize("method", ["dsp", "more-p", "more-s"])
@pytest.mark.parametrize("correlation", [0.0, 0.6, 0.95])
def test_table_3_masked_values_explain_nothing(method: str, correlation: float) -> None:
    """Independent columns have R² = 1/(N − 1) on average, here 0.0101; Table 3 prints about its square."""
    shares = explained(method, 100, correlation, REPLICATIONS, seed=3)
    expected = 1 / 99
    # R² of independent normal columns is Beta(1/2, (N − 2)/2), whose deviation is about √2 times its mean.
    assert abs(shares.mean() - expected) < 3 * np.sqrt(2) * expected / np.sqrt(REPLICATIONS)
    printed = TABLE_3[100][correlation][("dsp", "more-p", "more-s").index(method)]
    assert printed == pytest.approx(expected**2, rel=0.2)
