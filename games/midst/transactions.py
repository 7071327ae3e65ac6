"""Invented bank transactions with the columns of the contest's table."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

PER_ACCOUNT = 15
"""Transactions of an account on the mean."""
DAYS = 2191
SYMBOLS, BANKS = 9, 14


def invented(n_accounts: int, rng: np.random.Generator) -> dict[str, npt.NDArray[Any]]:
    """Transactions of invented accounts: each has its usual amounts, and some send money to other banks."""
    n = n_accounts * PER_ACCOUNT
    account_id = 1 + rng.integers(0, n_accounts, n)
    wealth = (1 + 9 * rng.random(n_accounts) * rng.random(n_accounts))[account_id - 1]
    operation = rng.choice(5, n, p=np.array([20, 20, 10, 15, 35]) / 100)
    is_sent = operation == 1
    tenths = (rng.random(n) * rng.random(n) * wealth * 40_000).astype(np.int64) + 146
    balance = (wealth * 60_000 * (1 + rng.random(n))).astype(np.int64)
    return {
        "trans_id": 1 + rng.permutation(n * 3)[:n],
        "account_id": account_id,
        "trans_date": rng.integers(0, DAYS, n).astype(float),
        "trans_type": np.where(operation < 2, 2, rng.integers(0, 3, n)),
        "operation": operation,
        "amount": tenths / 10,
        "balance": balance / 10,
        "k_symbol": np.where(rng.random(n) < 0.6, operation, rng.integers(0, SYMBOLS, n)),
        "bank": np.where(is_sent, rng.integers(1, BANKS, n), 0),
        "account": np.where(is_sent, rng.integers(10_000_000, 99_999_999, n), 0).astype(float),
    }
