"""Writing M and T: whole columns of bytes at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO

import numpy as np
import numpy.typing as npt
import pandas as pd

from datasets.tables import Coded, date_text
from games.shop.data.tables import Master, PurchaseData, price_text, time_text

ROWS_A_PIECE = 100_000


ByteTexts = npt.NDArray[np.bytes_]


def write_master(file: BinaryIO, master: Master) -> None:
    columns = (Coded.from_texts(master.ids), master.gender, master.birthday, master.country)
    tables = [as_bytes(column.labels) for column in columns]
    for piece in _pieces(master.n_rows):
        cells = [table[column.codes[piece]] for table, column in zip(tables, columns, strict=True)]
        file.write(join_rows(cells))


def write_transactions(file: BinaryIO, data: PurchaseData) -> None:
    rows = data.transactions
    ids, receipts, items = map(as_bytes, (data.master.ids, rows.receipt.labels, rows.item.labels))
    for piece in _pieces(rows.n_rows):
        cells = [
            ids[rows.customer[piece]],
            receipts[rows.receipt.codes[piece]],
            numbers_as_bytes(rows.day[piece], date_text),
            numbers_as_bytes(rows.minute[piece], time_text),
            items[rows.item.codes[piece]],
            numbers_as_bytes(rows.price[piece], price_text),
            numbers_as_bytes(rows.quantity[piece], str),
        ]
        file.write(join_rows(cells))


def join_rows(columns: Sequence[ByteTexts]) -> bytes:
    """The lines of a table from its columns of byte texts.

    >>> join_rows([np.array([b"a", b"bc"]), np.array([b"1", b"22"])])
    b'a,1\\nbc,22\\n'
    """
    width = sum(column.itemsize + 1 for column in columns)
    table = np.zeros((len(columns[0]), width), dtype=np.uint8)
    place = 0
    for column in columns:
        size = column.itemsize
        table[:, place : place + size] = column.view(np.uint8).reshape(len(column), size)
        table[:, place + size] = ord(",")
        place += size + 1
    table[:, -1] = ord("\n")
    # No text holds a NUL byte, so all of them are padding.
    flat = table.ravel()
    return flat[flat != 0].tobytes()


def numbers_as_bytes(values: npt.NDArray, text_of: Callable[[int], str]) -> ByteTexts:
    """Write every number, calling the writer once per distinct number."""
    codes, distinct = pd.factorize(values)
    return as_bytes([text_of(value) for value in distinct.tolist()])[codes]


def as_bytes(texts: Sequence[str] | npt.NDArray[np.object_]) -> ByteTexts:
    encoded: ByteTexts = np.array([text.encode() for text in texts], dtype=np.bytes_)
    return encoded


def _pieces(n_rows: int) -> Iterator[slice]:
    return (slice(first, first + ROWS_A_PIECE) for first in range(0, n_rows, ROWS_A_PIECE))
