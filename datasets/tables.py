"""The tables of a contest in memory: coded columns, exact integers, no pandas overhead.

A table is read once and then shared by every measure and attack, so its arrays are read-only. Money is stored
in hundredths as whole numbers: sums are exact, so they do not depend on row order or on the machine.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import numpy.typing as npt
import pandas as pd

Integers = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]

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
NO_GUESS = -1
"""In a guess: this row of M′ is not claimed to be anybody."""

EPOCH = datetime.date(1970, 1, 1)


def frozen(values: npt.NDArray) -> npt.NDArray:
    """Return a read-only view: tables are shared between measures, so nobody may write to them."""
    view = values.view()
    view.flags.writeable = False
    return view


@dataclass(frozen=True, eq=False)
class Coded:
    """A column of texts: ``labels[codes[i]]`` is the text of row i. Labels are sorted and all in use."""

    codes: Codes
    labels: npt.NDArray[np.object_]

    @classmethod
    def from_texts(cls, texts: npt.ArrayLike) -> Coded:
        """Code a sequence of texts.

        >>> column = Coded.from_texts(["tea", "cake", "tea"])
        >>> column.codes.tolist(), column.labels.tolist()
        ([1, 0, 1], ['cake', 'tea'])
        """
        values = np.asarray(texts, dtype=object)
        codes, labels = pd.factorize(values, sort=True)
        return cls.of(codes, np.asarray(labels, dtype=object))

    @classmethod
    def of(cls, codes: npt.ArrayLike, labels: npt.ArrayLike) -> Coded:
        return cls(frozen(np.asarray(codes, dtype=np.int32)), frozen(np.asarray(labels, dtype=object)))

    @property
    def n_labels(self) -> int:
        return len(self.labels)

    def texts(self) -> npt.NDArray[np.object_]:
        return self.labels[self.codes]

    def take(self, rows: npt.ArrayLike) -> Coded:
        """The column restricted to some rows, its labels shrunk to those still in use."""
        kept = self.codes[np.asarray(rows)]
        used, codes = np.unique(kept, return_inverse=True)
        return Coded.of(codes, self.labels[used])


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

        Cells are trusted to be well formed. Files from outside go through `datasets.check`.
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


def day_number(text: str) -> int:
    """Days since 1970-01-01 of ``YYYY/M/D``.

    >>> day_number("1970/1/2")
    1
    """
    year, month, day = text.split("/")
    return (datetime.date(int(year), int(month), int(day)) - EPOCH).days


def date_text(day: int) -> str:
    """The inverse of `day_number`.

    >>> date_text(14944)
    '2010/12/1'
    """
    date = EPOCH + datetime.timedelta(days=int(day))
    return f"{date.year}/{date.month}/{date.day}"


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


def texts_of(values: npt.NDArray, text_of: Callable[[int], str]) -> npt.NDArray[np.object_]:
    """Write every number as text, calling the writer once per distinct number."""
    codes, distinct = pd.factorize(values)
    texts: npt.NDArray[np.object_] = np.array([text_of(value) for value in distinct.tolist()], dtype=object)
    return texts[codes]


def _texts(column: pd.Series) -> npt.NDArray[np.object_]:
    """The cells as plain texts, however the frame stores them."""
    values = column.to_numpy(dtype=object)
    return np.array([value if type(value) is str else str(value) for value in values], dtype=object)
