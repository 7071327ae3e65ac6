"""The tables of a contest in memory: coded columns, exact integers, no pandas overhead.

A table is read once and then shared by every measure and attack, so its arrays are read-only. Money is stored
in hundredths as whole numbers: sums are exact, so they do not depend on row order or on the machine.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

Integers = npt.NDArray[np.int64]


Codes = npt.NDArray[np.int32]


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


def texts_of(values: npt.NDArray, text_of: Callable[[int], str]) -> npt.NDArray[np.object_]:
    """Write every number as text, calling the writer once per distinct number."""
    codes, distinct = pd.factorize(values)
    texts: npt.NDArray[np.object_] = np.array([text_of(value) for value in distinct.tolist()], dtype=object)
    return texts[codes]
