"""Rows of the tables of 2018: choosing, sorting, spreading and writing them."""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from datasets.tables import Coded, Integers, date_text, frozen
from games.shop.data.pwscup2018 import INTERVAL, SET, STAR, ItemCells, RangeCells, Release2018, Sheet2018
from games.shop.data.tables import price_text
from games.shop.data.writer import ROWS_A_PIECE, ByteTexts, as_bytes, join_rows, numbers_as_bytes


def neutral_order(release: Release2018) -> Integers:
    """The rows that are not deleted, sorted by every cell."""
    kept = np.flatnonzero(~release.deleted)
    ranges = (release.quantity, release.price)
    keys: list[npt.NDArray] = [column for cell in ranges for column in (cell.kind, cell.high, cell.low)]
    keys += [release.item.cell, release.id.codes, release.day.kind, release.day.high, release.day.low]
    order = np.lexsort([column[kept] for column in keys])
    return kept[order].astype(np.int64)


def take_release(release: Release2018, rows: npt.ArrayLike) -> Release2018:
    """Some rows of A, or all in another order; only the item cells that are in use stay."""
    rows = np.asarray(rows)
    cells = _sorted_items(release.item, rows)
    return Release2018(
        id=release.id.take(rows),
        deleted=frozen(release.deleted[rows]),
        day=_taken(release.day, rows),
        item=cells,
        price=_taken(release.price, rows),
        quantity=_taken(release.quantity, rows),
    )


def with_sorted_sets(release: Release2018) -> Release2018:
    """The same A with its item cells in one order: neither a set nor the list of sets reveals its author."""
    return take_release(release, np.arange(release.n_rows))


def spread_release(release: Release2018, rows: Integers, n_rows: int) -> Release2018:
    """An A of ``n_rows`` with these rows at the given places, and deleted rows everywhere else."""
    ids = np.full(n_rows, "*", dtype=object)
    ids[rows] = release.id.texts()
    deleted = np.ones(n_rows, dtype=np.bool_)
    deleted[rows] = release.deleted
    kind = np.full(n_rows, STAR, dtype=np.uint8)
    kind[rows] = release.item.kind
    # The last of the cells is the star of the rows that were not kept.
    cell = np.full(n_rows, len(release.item.members), dtype=np.int32)
    cell[rows] = release.item.cell
    return Release2018(
        id=Coded.from_texts(ids),
        deleted=frozen(deleted),
        day=_spread(release.day, rows, n_rows),
        item=ItemCells(frozen(kind), frozen(cell), (*release.item.members, ())),
        price=_spread(release.price, rows, n_rows),
        quantity=_spread(release.quantity, rows, n_rows),
    )


def write_sheet_2018(file: BinaryIO, sheet: Sheet2018) -> None:
    """Write T."""
    ids, items = as_bytes(sheet.id.labels), as_bytes(sheet.item.labels)
    for first in range(0, sheet.n_rows, ROWS_A_PIECE):
        piece = slice(first, first + ROWS_A_PIECE)
        columns = [
            ids[sheet.id.codes[piece]],
            numbers_as_bytes(sheet.day[piece], date_text),
            items[sheet.item.codes[piece]],
            numbers_as_bytes(sheet.price[piece], price_text),
            numbers_as_bytes(sheet.quantity[piece], str),
        ]
        file.write(join_rows(columns))


def write_release_2018(file: BinaryIO, release: Release2018) -> None:
    """Write A, or the rows of it that are there."""
    ids = as_bytes(release.id.labels)
    kinds = np.zeros(len(release.item.members), dtype=np.uint8)
    kinds[release.item.cell] = release.item.kind
    pairs = zip(kinds.tolist(), release.item.members, strict=True)
    items = as_bytes([_item_text(kind, members) for kind, members in pairs])
    for first in range(0, release.n_rows, ROWS_A_PIECE):
        piece = slice(first, first + ROWS_A_PIECE)
        columns = [
            ids[release.id.codes[piece]],
            _range_texts(release.day, piece, date_text),
            items[release.item.cell[piece]],
            _range_texts(release.price, piece, price_text),
            _range_texts(release.quantity, piece, str),
        ]
        file.write(join_rows(columns))


def _item_text(kind: int, members: tuple[str, ...]) -> str:
    if kind == STAR:
        return "*"
    return f"{{{';'.join(members)}}}" if kind == SET else members[0]


def _range_texts(cells: RangeCells, piece: slice, text_of: Callable[[int], str]) -> ByteTexts:
    table = np.stack([cells.kind[piece].astype(np.int64), cells.low[piece], cells.high[piece]], axis=1)
    distinct, codes = np.unique(table, axis=0, return_inverse=True)
    texts = [_range_text(kind, low, high, text_of) for kind, low, high in distinct.tolist()]
    return as_bytes(texts)[codes.ravel()]


def _range_text(kind: int, low: int, high: int, text_of: Callable[[int], str]) -> str:
    if kind == STAR:
        return "*"
    return f"[{text_of(low)};{text_of(high)}]" if kind == INTERVAL else text_of(low)


def _taken(cells: RangeCells, rows: npt.NDArray) -> RangeCells:
    return RangeCells(frozen(cells.kind[rows]), frozen(cells.low[rows]), frozen(cells.high[rows]))


def _spread(cells: RangeCells, rows: Integers, n_rows: int) -> RangeCells:
    kind = np.full(n_rows, STAR, dtype=np.uint8)
    low, high = np.zeros(n_rows, dtype=np.int64), np.zeros(n_rows, dtype=np.int64)
    kind[rows], low[rows], high[rows] = cells.kind, cells.low, cells.high
    return RangeCells(frozen(kind), frozen(low), frozen(high))


def _sorted_items(items: ItemCells, rows: npt.NDArray) -> ItemCells:
    kind, cell = items.kind[rows], items.cell[rows]
    used, codes = np.unique(cell, return_inverse=True)
    kinds = np.zeros(len(items.members), dtype=np.uint8)
    kinds[cell] = kind
    found = [(int(kinds[code]), tuple(sorted(items.members[code]))) for code in used.tolist()]
    distinct = sorted(set(found))
    place = {value: index for index, value in enumerate(distinct)}
    new = np.array([place[value] for value in found], dtype=np.int32)
    return ItemCells(frozen(kind), frozen(new[codes]), tuple(members for _, members in distinct))
