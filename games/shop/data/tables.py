"""The tables of a shop in memory: people, their purchases, and what a team hands in."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import numpy.typing as npt
import pandas as pd

from datasets.tables import Coded, Codes, Integers, date_text, day_number, frozen, texts_of

MASTER_COLUMNS = ("customer_id", "gender", "birthday", "country")


TRANSACTION_COLUMNS = (
    "customer_id",
    "receipt_id",
    "date",
    "time",
    "item_id",
    "unit_price",
    "quantity",
)


@dataclass(frozen=True, eq=False)
class Master:
    """M or M′: one row per person. ``ids[i]`` is the customer id (M) or the pseudonym (M′) of row i."""

    ids: npt.NDArray[np.object_]
    gender: Coded
    birthday: Coded
    country: Coded

    @property
    def n_rows(self) -> int:
        return len(self.ids)

    def to_frame(self) -> pd.DataFrame:
        columns = (self.ids, self.gender.texts(), self.birthday.texts(), self.country.texts())
        return pd.DataFrame(dict(zip(MASTER_COLUMNS, columns, strict=True)), dtype=object)

    @classmethod
    def from_frame(cls, frame: pd.DataFrame) -> Master:
        """Take a frame with the columns of `MASTER_COLUMNS`; index and dtypes do not matter."""
        texts = {name: _texts(frame[name]) for name in MASTER_COLUMNS}
        return cls(
            ids=frozen(texts["customer_id"]),
            gender=Coded.from_texts(texts["gender"]),
            birthday=Coded.from_texts(texts["birthday"]),
            country=Coded.from_texts(texts["country"]),
        )


@dataclass(frozen=True, eq=False)
class Transactions:
    """T or T′: one row per purchased line.

    ``customer`` is the 0-based row of the master table, ``day`` the days since 1970-01-01, ``minute`` the
    minutes since midnight, ``price`` the unit price in hundredths.
    """

    customer: Codes
    receipt: Coded
    day: Codes
    minute: Codes
    item: Coded
    price: Integers
    quantity: Integers

    @property
    def n_rows(self) -> int:
        return len(self.customer)

    @property
    def amount(self) -> Integers:
        """Price times quantity of every row, in hundredths."""
        return self.price * self.quantity

    def take(self, rows: npt.ArrayLike, customer: Codes | None = None) -> Transactions:
        """Some rows, or all in another order; ``customer`` renumbers the people first."""
        rows = np.asarray(rows)
        return Transactions(
            customer=frozen((self.customer if customer is None else customer)[rows]),
            receipt=self.receipt.take(rows),
            day=frozen(self.day[rows]),
            minute=frozen(self.minute[rows]),
            item=self.item.take(rows),
            price=frozen(self.price[rows]),
            quantity=frozen(self.quantity[rows]),
        )


@dataclass(frozen=True, eq=False)
class PurchaseData:
    """A master table and its transactions: M and T, or M′ and T′."""

    master: Master
    transactions: Transactions

    @property
    def n_customers(self) -> int:
        return self.master.n_rows

    @classmethod
    def from_frames(cls, master: pd.DataFrame, transactions: pd.DataFrame) -> PurchaseData:
        """Build from data frames with the columns of the files; index and dtypes do not matter.

        Cells are trusted to be well formed. Files from outside go through `games.shop.data.check`.
        """
        people = Master.from_frame(master)
        row_of = pd.Index(people.ids)
        customer = row_of.get_indexer(pd.Index(_texts(transactions["customer_id"])))
        if (customer < 0).any():
            raise ValueError("The transactions name a customer_id that the master table lacks.")
        dates = Coded.from_texts(_texts(transactions["date"]))
        times = Coded.from_texts(_texts(transactions["time"]))
        days = np.array([day_number(text) for text in dates.labels], dtype=np.int32)
        minutes = np.array([minute_number(text) for text in times.labels], dtype=np.int32)
        prices = Coded.from_texts(_texts(transactions["unit_price"]))
        hundredths = np.array([price_hundredths(text) for text in prices.labels], dtype=np.int64)
        quantity = np.asarray(pd.to_numeric(transactions["quantity"]), dtype=np.int64)
        return cls(
            people,
            Transactions(
                customer=frozen(customer.astype(np.int32)),
                receipt=Coded.from_texts(_texts(transactions["receipt_id"])),
                day=frozen(days[dates.codes]),
                minute=frozen(minutes[times.codes]),
                item=Coded.from_texts(_texts(transactions["item_id"])),
                price=frozen(hundredths[prices.codes]),
                quantity=frozen(quantity),
            ),
        )

    def to_frames(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The two tables as data frames of the very texts that the files hold."""
        rows = self.transactions
        columns = (
            self.master.ids[rows.customer],
            rows.receipt.texts(),
            texts_of(rows.day, date_text),
            texts_of(rows.minute, time_text),
            rows.item.texts(),
            texts_of(rows.price, price_text),
            texts_of(rows.quantity, str),
        )
        frame = pd.DataFrame(dict(zip(TRANSACTION_COLUMNS, columns, strict=True)), dtype=object)
        return self.master.to_frame(), frame


@dataclass(frozen=True, eq=False)
class Release:
    """What a team hands in: M′ and T′ with the secret truth.

    ``truth[i]`` is the 0-based row of M that row i of M′ is (P holds the same numbers counted from 1).
    """

    data: PurchaseData
    truth: Integers


def minute_number(text: str) -> int:
    hour, minute = text.split(":")
    return int(hour) * 60 + int(minute)


def time_text(minute: int) -> str:
    """Minutes since midnight as ``H:MM``.

    >>> time_text(525)
    '8:45'
    """
    return f"{int(minute) // 60}:{int(minute) % 60:02d}"


def price_hundredths(text: str) -> int:
    """A price in hundredths.

    >>> price_hundredths("3.75"), price_hundredths("8.5"), price_hundredths("10")
    (375, 850, 1000)
    """
    scaled = Decimal(text) * 100
    whole = int(scaled)
    if whole != scaled:
        raise ValueError(f"A price has at most two decimals. Got {text!r} instead.")
    return whole


def price_text(hundredths: int) -> str:
    """A price as the public files write it: no trailing zeros.

    >>> price_text(375), price_text(850), price_text(1000)
    ('3.75', '8.5', '10')
    """
    units, rest = divmod(int(hundredths), 100)
    return f"{units}.{rest:02d}".rstrip("0").rstrip(".")


def _texts(column: pd.Series) -> npt.NDArray[np.object_]:
    """The cells as plain texts, however the frame stores them."""
    values = column.to_numpy(dtype=object)
    return np.array([value if type(value) is str else str(value) for value in values], dtype=object)
