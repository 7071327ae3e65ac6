"""Nearest purchases of what is left ungeneralised, for the tables of 2018."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from attacks.attack import HouseAttack
from attacks.linkage.feature_sets import Columns
from attacks.linkage.overlap import similarities
from datasets.tables import Coded
from games.shop.answers import Answer, mutual_answer
from games.shop.data.pwscup2018 import VALUE, ItemCells, RangeCells, Release2018, Sheet2018
from games.shop.linkage.features import common_codes


def re_cells(original: Sheet2018, released: Release2018, rng: np.random.Generator) -> Answer:
    """Claim a customer and a pseudonym where each is the other's nearest by the cells that are still values.

    Every row gives up to four tokens, (item, day), (item, price), (day, quantity) and the item alone, each
    only where its cells are T's own values; similarity is the Jaccard index of the sets of tokens, weighted
    by rarity, log(1 + n / customers who have the token).

    Exploits: a value that is not generalised is true. Cost: one sparse product.

    Reference: platform definition v1.
    """
    items = common_codes(original.item, _item_texts(released.item))
    left: dict[str, npt.NDArray] = {
        "item": items[0],
        "day": original.day,
        "price": original.price,
        "quantity": original.quantity,
    }
    right: dict[str, npt.NDArray] = {
        "item": items[1],
        "day": released.day.low,
        "price": released.price.low,
        "quantity": released.quantity.low,
    }
    plain = {
        "item": released.item.kind == VALUE,
        "day": _is_value(released.day),
        "price": _is_value(released.price),
        "quantity": _is_value(released.quantity),
    }
    everything = np.arange(original.n_rows)
    chosen = [np.flatnonzero(np.logical_and.reduce([plain[name] for name in names])) for names in PAIRS]
    table = similarities(
        (original.id.n_labels, released.id.n_labels),
        (np.tile(original.id.codes, len(PAIRS)), released.id.codes[np.concatenate(chosen)]),
        (_tokens(left, [everything] * len(PAIRS)), _tokens(right, chosen)),
    )
    return mutual_answer(table)


PAIRS = (("item", "day"), ("item", "price"), ("day", "quantity"), ("item",))
"""The columns of each kind of token."""


def _tokens(table: Mapping[str, npt.NDArray], chosen: Sequence[npt.NDArray]) -> Columns:
    """Kind, first and second column of the tokens of the rows chosen for each kind."""
    kind = np.repeat(np.arange(len(PAIRS)), [len(rows) for rows in chosen])
    ends = [
        np.concatenate(
            [table[names[end]][rows].astype(np.int64) for names, rows in zip(PAIRS, chosen, strict=True)]
        )
        for end in (0, -1)
    ]
    return kind, ends[0], ends[1]


def _is_value(cells: RangeCells) -> npt.NDArray[np.bool_]:
    return np.asarray(cells.kind == VALUE)


def _item_texts(cells: ItemCells) -> Coded:
    """The item of a row where it is shown, and a text that no item has elsewhere."""
    first = np.array([members[0] if len(members) == 1 else "*" for members in cells.members], dtype=object)
    return Coded.from_texts(first[cells.cell])


RE_CELLS = HouseAttack(
    name="re-cells",
    title="Nearest purchases left as they were",
    meaning="A customer and a pseudonym are claimed to be one where each is the other's nearest.",
    exploits="A cell that is not generalised is true.",
    cost="A sparse product of customers and pseudonyms.",
    function=re_cells,
    reference="Platform definition v1",
    version=1,
)
