"""k-MM on M and T: receipts keep the declared promise, counted anew from the written tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from anonymizers.release import CannotProtect
from games.shop.data.generate import generate
from games.shop.data.tables import PurchaseData
from games.shop.methods.anonymizer import Anonymized
from games.shop.methods.registry import run_anonymizer
from tests.games.shop.methods.tables import made


def crowd_sizes(original: PurchaseData, done: Anonymized, days: int, bought_only: bool) -> pd.Series:
    """How many customers hold each (period, quantities of the top items), by pandas from the texts of T′."""
    rows = done.release.data.to_frames()[1]
    rows["quantity"] = rows["quantity"].astype(int)
    day = (pd.to_datetime(rows["date"], format="%Y/%m/%d") - pd.Timestamp("1970-01-01")).dt.days
    rows["period"] = (day - int(original.transactions.day.min())) // days
    items = rows[rows["item_id"].isin(done.report["items"])]
    wide = items.pivot_table(
        index=["customer_id", "receipt_id", "period"], columns="item_id", values="quantity", aggfunc="sum"
    ).fillna(0)
    if bought_only:
        wide = (wide > 0).astype(int)
    names = list(wide.columns)
    return wide.reset_index().groupby(["period", *names])["customer_id"].nunique()


@pytest.mark.parametrize(("period", "days"), [("month", 30), ("all", 10**6)])
@pytest.mark.parametrize("amounts", ["units", "bought"])
def test_every_declared_quasi_identifier_is_shared_by_k_customers(
    amounts: str, period: str, days: int
) -> None:
    original = generate(60, 2)
    settings = {"k": 4, "items": 4, "period": period, "amounts": amounts, "effort": 0.1}
    done = run_anonymizer("kmm", original, {}, 1, settings)
    assert crowd_sizes(original, done, days, amounts == "bought").min() >= 4
    assert 0 < done.report["lower_bound"] <= done.report["objective"]


def test_other_items_of_a_receipt_stay() -> None:
    original = generate(60, 2)
    done = run_anonymizer("kmm", original, {}, 1, {"k": 3, "items": 3, "effort": 0.1})
    before, after = original.to_frames()[1], done.release.data.to_frames()[1]
    columns = ["item_id", "unit_price", "quantity"]
    others = [
        sorted(map(tuple, frame[~frame["item_id"].isin(done.report["items"])][columns].to_numpy()))
        for frame in (before, after)
    ]
    assert others[0] == others[1]


def test_real_receipts_are_three_anonymous(real: PurchaseData) -> None:
    done = run_anonymizer("kmm", real, {}, 1, {"k": 3})
    assert crowd_sizes(real, done, 30, False).min() >= 3
    assert done.report["objective"] <= 1.2 * done.report["lower_bound"]


def test_more_crowd_than_customers_is_refused() -> None:
    with pytest.raises(CannotProtect, match="at most the number of people"):
        run_anonymizer("kmm", made(5), {}, 1, {"k": 6})


def test_nothing_moves_where_all_is_shared() -> None:
    """Everybody bought the one item once on one day: nothing is left to do."""
    rows = pd.DataFrame(
        {
            "customer_id": [f"c{i}" for i in range(6)],
            "receipt_id": [f"r{i}" for i in range(6)],
            "date": "2011/1/5",
            "time": "9:05",
            "item_id": "20001",
            "unit_price": "1.50",
            "quantity": "2",
        }
    )
    people = pd.DataFrame(
        {"customer_id": rows["customer_id"], "gender": "f", "birthday": "1970/1/1", "country": "Japan"}
    )
    done = run_anonymizer("kmm", PurchaseData.from_frames(people, rows), {}, 1, {"k": 6})
    assert done.report["objective"] == 0.0
    assert np.unique(done.release.data.transactions.quantity).tolist() == [2]
