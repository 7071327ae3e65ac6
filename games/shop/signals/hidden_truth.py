"""Entries that reveal to a friend who is who: by the order of pseudonyms, or by the low digits of numbers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from attacks.signals.evidence import Evidence
from datasets.tables import Integers
from games.shop.data.tables import PurchaseData

THRESHOLD = 4.5
"""Standard deviations: by chance about once in 150,000 tests."""
FEWEST = 10

Values = npt.NDArray[np.float64]


def row_order(truth: Integers) -> Evidence:
    """Whether the order of the pseudonyms follows the order of M.

    Neutral entries are sorted by pseudonym, so that row i of M′ has the i-th pseudonym. With ρ, Spearman's
    rank correlation of i and the true row, z = |ρ| √(n − 1) is about normal for pseudonyms chosen at random,
    because ρ then has mean 0 and variance 1/(n − 1). An honest reason: pseudonyms that count up through the
    original file, which hides nothing.

    >>> row_order(np.arange(100)).is_lit
    True
    """
    z = _deviations(np.arange(len(truth), dtype=np.float64), truth.astype(np.float64))
    return Evidence("row-order", z, THRESHOLD, {"people": len(truth)})


def low_digits(original: PurchaseData, released: PurchaseData, truth: Integers) -> Evidence:
    """Whether low digits that were changed follow the true row number, or one of its binary digits.

    For every person the mean of the last digit of price, quantity and minute is compared with the same mean
    in the original: what is left is the team's own doing, and noise that knows nothing of the row number does
    not correlate with it. The strongest of all z (see `row_order`) is reported. The detail names the column
    and the bit (−1: the whole number).
    """
    strongest, where = 0.0, {"column": "", "bit": -1}
    numbers = truth.astype(np.int64)
    for name, before, after in _digit_means(original, released):
        changed = after - before[numbers]
        bits = range(int(numbers.max(initial=0)).bit_length())
        codes = [(-1, numbers), *((bit, (numbers >> bit) & 1) for bit in bits)]
        for bit, code in codes:
            z = _deviations(changed, code.astype(np.float64))
            if z > strongest:
                strongest, where = z, {"column": name, "bit": bit}
    return Evidence("low-digits", strongest, THRESHOLD, {"people": len(truth), **where})


def _digit_means(original: PurchaseData, released: PurchaseData) -> list[tuple[str, Values, Values]]:
    return [
        (name, _mean_digit(original, name), _mean_digit(released, name))
        for name in ("price", "quantity", "minute")
    ]


def _mean_digit(data: PurchaseData, name: str) -> Values:
    rows = data.transactions
    digits = np.asarray(getattr(rows, name), dtype=np.int64) % 10
    count = np.bincount(rows.customer, minlength=data.n_customers)
    total = np.bincount(rows.customer, weights=digits, minlength=data.n_customers)
    return np.asarray(total / np.maximum(count, 1), dtype=np.float64)


def _deviations(first: Values, second: Values) -> float:
    """|ρ| √(n − 1); nothing where one of the two does not vary or there are too few."""
    # Every process of the platform imports this module; few need this part of SciPy, which loads slowly.
    from scipy.stats import rankdata

    if len(first) < FEWEST:
        return 0.0
    ranks = [rankdata(values) for values in (first, second)]
    spread = [float(np.std(rank)) for rank in ranks]
    if min(spread) == 0.0:
        return 0.0
    covariance = float(np.mean((ranks[0] - ranks[0].mean()) * (ranks[1] - ranks[1].mean())))
    return abs(covariance / (spread[0] * spread[1])) * float(np.sqrt(len(first) - 1))
