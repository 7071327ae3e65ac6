"""`more-p` and `more-s` on M and T: prices, quantities and birthdays masked given the other columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from anonymizers.anonymizer import Parameter
from anonymizers.release import CannotProtect
from anonymizers.table.more_p import REFERENCE
from anonymizers.table_method import TableResult
from anonymizers.table_registry import run_table_method
from datasets.tables import Coded, date_text, day_number, frozen
from games.shop.data.tables import PurchaseData
from games.shop.methods.anonymizer import Anonymized, Anonymizer
from games.shop.methods.release import publish

FEW = 20
"""A country with fewer rows in a table appears as ``other`` in its model: too little to learn from."""


def more_p_entry(
    original: PurchaseData,
    limits: Mapping[str, float],
    rng: np.random.Generator,
    *,
    order: str,
    decimals: int,
) -> Anonymized:
    """Draw prices, quantities and birthdays from odds-ratio models given the other columns.

    Unit price, then quantity, of every row of T is masked given the item's popularity (how many customers
    bought it), the month, and the customer's gender and country; every birthday of M given the country. The
    models work on distribution functions, rounded to ``decimals``. A column with one value stays as it is.
    """
    return _masked("more-p", original, rng, {"order": order, "decimals": decimals})


def more_s_entry(
    original: PurchaseData,
    limits: Mapping[str, float],
    rng: np.random.Generator,
    *,
    order: str,
    decimals: int,
) -> Anonymized:
    """Shuffle prices, quantities and birthdays by the ranks of draws from odds-ratio models.

    As `more-p`, but every price, quantity and birthday occurs in the entry exactly as often as in the
    original: unit price, then quantity, given item popularity, month, gender and country; birthday given
    country.
    """
    return _masked("more-s", original, rng, {"order": order, "decimals": decimals})


def _masked(
    name: str, original: PurchaseData, rng: np.random.Generator, settings: dict[str, Any]
) -> Anonymized:
    rows = original.transactions
    known = ["popularity", "month", "gender", "country"]
    lines = _mask(name, _lines(original), ["price", "quantity"], known, rng, settings)
    people = _mask(name, _people(original), ["birthday"], ["country"], rng, settings)
    price, quantity = (lines.table[column].to_numpy(dtype=np.int64) for column in ("price", "quantity"))
    birthday = Coded.from_texts([date_text(day) for day in people.table["birthday"].tolist()])
    draft = replace(
        original,
        master=replace(original.master, birthday=birthday),
        transactions=replace(rows, price=frozen(price), quantity=frozen(quantity)),
    )
    changed = int(((price != rows.price) | (quantity != rows.quantity)).sum())
    report = {
        "changed": f"price or quantity of {changed} of {rows.n_rows} rows, and birthdays",
        "columns": {**lines.report["columns"], **people.report["columns"]},
        "notes": [*lines.report["notes"], *people.report["notes"]],
    }
    return Anonymized(publish(draft, rng), report)


def _mask(
    name: str,
    table: pd.DataFrame,
    hidden: list[str],
    known: list[str],
    rng: np.random.Generator,
    settings: dict[str, Any],
) -> TableResult:
    """Mask the columns that vary; where the known columns give them away, without these."""
    varied = [column for column in hidden if table[column].nunique() > 1]
    if not varied:
        return TableResult(
            table, {"columns": {}, "notes": [f"{', '.join(hidden)} held one value: unchanged."]}
        )
    seed = int(rng.integers(2**32))
    values = {"transform": "cdf"} | settings
    try:
        return run_table_method(name, table, {"confidential": varied, "given": known}, seed, values)
    except CannotProtect as error:
        done = run_table_method(name, table, {"confidential": varied}, seed, {"transform": "cdf"})
        notes = [*done.report["notes"], f"Masked without the other columns. {error}"]
        return TableResult(done.table, {**done.report, "notes": notes})


def _lines(original: PurchaseData) -> pd.DataFrame:
    """The rows of T with what their prices and quantities are conditioned on."""
    rows, master = original.transactions, original.master
    bought = np.unique(np.column_stack([rows.item.codes, rows.customer]), axis=0)[:, 0]
    popularity = np.bincount(bought, minlength=rows.item.n_labels)[rows.item.codes]
    month = (np.datetime64("1970-01-01") + rows.day.astype("timedelta64[D]")).astype("datetime64[M]")
    return pd.DataFrame(
        {
            "price": rows.price,
            "quantity": rows.quantity,
            "popularity": popularity,
            "month": month.astype(str),
            "gender": master.gender.texts()[rows.customer],
            "country": _pooled(master.country.texts()[rows.customer]),
        }
    )


def _people(original: PurchaseData) -> pd.DataFrame:
    master = original.master
    days = np.array([day_number(text) for text in master.birthday.labels], dtype=np.int64)
    country = _pooled(master.country.texts())
    return pd.DataFrame({"birthday": days[master.birthday.codes], "country": country})


def _pooled(texts: np.ndarray) -> np.ndarray:
    """Countries of few rows under one name.

    >>> _pooled(np.array(["Japan"] * 30 + ["Malta"], dtype=object)).tolist()[-2:]
    ['Japan', 'other']
    """
    codes, labels = pd.factorize(texts)
    few = np.bincount(codes) < FEW
    return np.where(few, "other", labels)[codes]


PARAMETERS = (
    Parameter("order", "text", "1", "Highest power M: 1 to 4, auto, or pairs such as price:popularity=2."),
    Parameter("decimals", "int", 2, "Round the distribution functions; -1 does not.", low=-1, high=12),
)

MORE_P_ENTRY = Anonymizer(
    name="more-p",
    title="Odds-ratio perturbation",
    meaning="Prices, quantities and birthdays drawn from odds-ratio models given the other columns.",
    function=more_p_entry,
    reference=REFERENCE,
    version=2,
    parameters=PARAMETERS,
)

MORE_S_ENTRY = Anonymizer(
    name="more-s",
    title="Odds-ratio shuffling",
    meaning="Prices, quantities and birthdays shuffled by odds-ratio draws; every value is kept.",
    function=more_s_entry,
    reference=REFERENCE,
    version=2,
    parameters=PARAMETERS,
)
