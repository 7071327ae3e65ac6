"""The margins of statistical tests are what they say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tests import chance


def test_all_comparisons_of_a_test_share_one_false_alarm() -> None:
    for comparisons, freedom in ((1, np.inf), (22, np.inf), (22, 19)):
        beyond = stats.t.sf(chance.errors_allowed(comparisons, freedom), freedom)
        assert 2 * comparisons * beyond == pytest.approx(chance.FALSE_ALARM, rel=1e-6)
    low, high = (12 * ratio for ratio in chance.variance_ratios_allowed(12, 5))
    assert stats.chi2.cdf(low, 12) == pytest.approx(chance.FALSE_ALARM / 10)
    assert stats.chi2.sf(high, 12) == pytest.approx(chance.FALSE_ALARM / 10)
    assert stats.binom.cdf(chance.fewest(300, 0.9) - 1, 300, 0.9) <= chance.FALSE_ALARM
    assert stats.binom.sf(chance.most(300, 0.1), 300, 0.1) <= chance.FALSE_ALARM


def test_correlated_values_are_a_lower_triangle_of_independent_ones() -> None:
    values = chance.correlated(np.random.default_rng(1), [[1.0, 0.6], [0.6, 1.0]], 5)
    plain = np.random.default_rng(1).normal(size=(5, 2))
    expected = np.column_stack([plain[:, 0], 0.6 * plain[:, 0] + 0.8 * plain[:, 1]])
    np.testing.assert_allclose(values, expected, rtol=1e-14)
