"""M and T from the public Online Retail file, as the organisers of PWSCUP 2016 made theirs.

Chen, Sain and Guo, "Data mining for the online retail industry" (2012) describe the file: a year of a UK gift
shop, 541,909 lines. T keeps its lines in order; gender and birthday are in no public file and are invented.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from datasets.tables import EPOCH, date_text
from games.shop.data import cells
from games.shop.data.tables import MASTER_COLUMNS, TRANSACTION_COLUMNS, PurchaseData, price_text

SOURCE_COLUMNS = ("InvoiceNo", "StockCode", "Quantity", "InvoiceDate", "UnitPrice", "CustomerID", "Country")
SHARE_OF_WOMEN = 330 / 400
"""As in the contest's M."""
BIRTHDAY_MEAN, BIRTHDAY_YEARS = np.datetime64("1957-07-01"), 11
FIRST_BIRTHDAY, LAST_BIRTHDAY = np.datetime64("1930-01-01"), np.datetime64("1990-12-31")


def build_online_retail(source: Path, n_customers: int | None = 400, seed: int = 2016) -> PurchaseData:
    """M and T of the customers with the lowest ids; all customers where ``n_customers`` is None.

    Lines are kept that have a customer, are not a cancellation (invoice C…), have a positive quantity and
    price, and a country. 400 customers give the T of 2016 line by line.
    """
    try:
        lines = pd.read_csv(source, usecols=list(SOURCE_COLUMNS), dtype=str, keep_default_na=False)
    except (ValueError, EOFError, OSError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        expected = ", ".join(SOURCE_COLUMNS)
        raise ValueError(
            f"{source.name} is not the Online Retail file. Expected a CSV with {expected}."
        ) from error
    kept = _kept(lines)
    lowest = np.unique(kept["CustomerID"].astype(np.int64))
    if n_customers is not None:
        if not 1 <= n_customers <= len(lowest):
            raise ValueError(
                f"The number of customers must be from 1 to {len(lowest)}. Got {n_customers} instead."
            )
        lowest = lowest[:n_customers]
    chosen = kept[kept["CustomerID"].astype(np.int64).isin(lowest)]
    return PurchaseData.from_frames(_master(chosen, lowest, seed), _transactions(chosen))


def _kept(lines: pd.DataFrame) -> pd.DataFrame:
    price = pd.to_numeric(lines["UnitPrice"])
    return lines[
        (lines["CustomerID"] != "")
        & ~lines["InvoiceNo"].str.startswith("C")
        & (pd.to_numeric(lines["Quantity"]) > 0)
        # Four lines cost a tenth of a penny, which the contest's prices cannot express.
        & (price >= 0.01)
        & (lines["Country"] != "Unspecified")
    ]


def _transactions(lines: pd.DataFrame) -> pd.DataFrame:
    moment = pd.to_datetime(lines["InvoiceDate"], format="%Y-%m-%d %H:%M:%S").dt
    hundredths = (pd.to_numeric(lines["UnitPrice"]) * 100).round().astype(np.int64)
    columns = (
        lines["CustomerID"],
        lines["InvoiceNo"],
        moment.year.astype(str) + "/" + moment.month.astype(str) + "/" + moment.day.astype(str),
        moment.hour.astype(str) + ":" + moment.minute.astype(str).str.zfill(2),
        lines["StockCode"].map({code: item_id(code) for code in lines["StockCode"].unique()}),
        hundredths.map({value: price_text(value) for value in hundredths.unique()}),
        lines["Quantity"],
    )
    return pd.DataFrame(dict(zip(TRANSACTION_COLUMNS, columns, strict=True)))


def item_id(code: str) -> str:
    """A stock code as an item id of the contest: no blanks, at most 9 characters.

    >>> item_id("85123A"), item_id("BANK CHARGES")
    ('85123A', 'BANKCHARG')
    """
    return code.replace(" ", "")[: cells.LONGEST_ITEM]


def _master(lines: pd.DataFrame, ids: np.ndarray, seed: int) -> pd.DataFrame:
    country = lines.groupby(lines["CustomerID"].astype(np.int64))["Country"].first().reindex(ids)
    gender, birthday = invented_people(len(ids), np.random.default_rng(seed))
    columns = (ids.astype(str), gender, [date_text(day) for day in birthday.tolist()], country.to_numpy())
    return pd.DataFrame(dict(zip(MASTER_COLUMNS, columns, strict=True)))


def invented_people(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Genders and birthdays, as days since 1970-01-01, that look like those of the contest's M."""
    gender = np.where(rng.random(n) < SHARE_OF_WOMEN, "f", "m")
    middle, first, last = (
        (day - np.datetime64(EPOCH)).astype(np.int64)
        for day in (BIRTHDAY_MEAN, FIRST_BIRTHDAY, LAST_BIRTHDAY)
    )
    days = middle + np.rint(rng.standard_normal(n) * BIRTHDAY_YEARS * 365.25).astype(np.int64)
    return gender, np.clip(days, first, last)
