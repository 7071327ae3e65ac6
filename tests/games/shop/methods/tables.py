"""Small originals for the tests: any number of customers, one-item customers, one day."""

from __future__ import annotations

import numpy as np
import pandas as pd

from games.shop.data.tables import MASTER_COLUMNS, TRANSACTION_COLUMNS, PurchaseData


def made(
    n_customers: int, rows_each: int = 12, n_items: int = 40, n_days: int = 90, seed: int = 7
) -> PurchaseData:
    """A made-up shop: every customer has some receipts with items of fixed prices."""
    rng = np.random.default_rng(seed)
    master, rows = [], []
    countries = ["United Kingdom", "France", "Japan"]
    for i in range(n_customers):
        birthday = f"{1940 + i % 50}/{1 + i % 12}/{1 + i % 28}"
        master.append((str(12346 + i), "fm"[int(rng.integers(2))], birthday, countries[int(rng.integers(3))]))
        count = 1 + int(rng.integers(rows_each))
        days = rng.integers(n_days, size=count)
        for j, item in enumerate(rng.choice(n_items, size=min(count, n_items), replace=False)):
            day = pd.Timestamp("2010-12-01") + pd.Timedelta(days=int(days[j]))
            date = f"{day.year}/{day.month}/{day.day}"
            receipt = f"{500000 + i * 100 + int(days[j])}"
            price = f"{1 + int(item) % 9}.{10 + int(item)}"
            rows.append(
                (str(12346 + i), receipt, date, "9:05", f"{20000 + item}", price, 1 + int(rng.integers(30)))
            )
    return PurchaseData.from_frames(
        pd.DataFrame(master, columns=list(MASTER_COLUMNS)),
        pd.DataFrame(rows, columns=list(TRANSACTION_COLUMNS)),
    )
