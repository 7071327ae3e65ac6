"""Answers of two teams that agree cell by cell where they should not: the files of any game will do."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from attacks.signals.evidence import Evidence
from datasets.tables import Integers

MISTAKES, CELLS = "shared-mistakes", "same-answers"
THRESHOLDS = {MISTAKES: 0.8, CELLS: 0.95}
"""Where nobody knows which cells are wrong, good answers agree in the right ones: only a copy is reported."""
FEWEST = 10
EMPTY = -1

Place = tuple[str, str]
"""The column of a cell, and the number or the key of its row."""


class Places:
    """The cells of answers to one question as vectors: one place per cell that anybody filled.

    >>> places = Places()
    >>> mine = places.vector({("score", "0"): "0.5", ("score", "1"): "0.7"})
    >>> other = places.vector({("score", "1"): "0.7", ("score", "2"): "0.1"})
    >>> (places.padded(mine) == other).tolist(), other.tolist()[0]
    ([False, True, False], -1)
    """

    def __init__(self) -> None:
        self._index: dict[Place, int] = {}
        self._columns: dict[str, int] = {}
        self._column_of: list[int] = []

    def vector(self, cells: Mapping[Place, str]) -> Integers:
        """Codes of cells in the order of their places, `EMPTY` where there is none."""
        at = np.array([self._place(place) for place in cells], dtype=np.int64)
        codes = np.full(len(self._index), EMPTY, dtype=np.int64)
        codes[at] = [zlib.crc32(text.encode()) for text in cells.values()]
        return codes

    def padded(self, codes: Integers) -> Integers:
        """A vector that was made before others brought new places."""
        missing = len(self._index) - len(codes)
        return np.concatenate([codes, np.full(missing, EMPTY, dtype=np.int64)]) if missing else codes

    @property
    def columns(self) -> Integers:
        """The column of every place."""
        return np.array(self._column_of, dtype=np.int64)

    def _place(self, place: Place) -> int:
        if place not in self._index:
            self._index[place] = len(self._index)
            self._column_of.append(self._columns.setdefault(place[0], len(self._columns)))
        return self._index[place]


def same_cells(
    first: Integers,
    second: Integers,
    columns: Integers,
    known: Sequence[Integers] = (),
    found: tuple[Collection[int], Collection[int]] | None = None,
) -> Evidence:
    """How far two answers agree beyond chance, in their mistakes where it is known whom they found.

    Of the cells that both fill, those are left out where both say what one of the ``known`` answers says:
    house attacks are public. Among the rest, a cells agree and d differ. Of the agreeing ones, those about
    people whom both found are right: with f such people and c columns, at least m = a − c·f agree without
    being right. The share is m / (m + d), and what is reported is (share − p) / (1 − p), p being the share
    that would agree if each answer kept its values and shuffled them within the columns.

    Without ``found`` all agreeing cells count, and the threshold is higher. An honest reason: the same attack
    without randomness, run by both.
    """
    kind = CELLS if found is None else MISTAKES
    both = (first >= 0) & (second >= 0)
    for guess in known:
        both &= ~((first == guess) & (second == guess))
    n_both = int(np.count_nonzero(both))
    agreeing = int(np.count_nonzero(both & (first == second)))
    right = 0
    if found is not None:
        n_columns = len(np.unique(columns[both]))
        right = min(agreeing, n_columns * len(set(found[0]) & set(found[1])))
    counted = n_both - right
    share = (agreeing - right) / counted if counted >= FEWEST else 0.0
    strength = 0.0
    if share >= THRESHOLDS[kind]:
        chance = _chance(first[both], second[both], columns[both])
        strength = max(0.0, (share - chance) / (1 - chance)) if chance < 1 else 0.0
    detail = {"compared": counted, "the_same": agreeing - right}
    return Evidence(kind, strength, THRESHOLDS[kind], detail)


def _chance(first: Integers, second: Integers, columns: Integers) -> float:
    """The share of cells that agree on the mean if both sides are shuffled within each column."""
    expected = 0.0
    for column in np.unique(columns):
        inside = columns == column
        mine, theirs = (Counter(side[inside].tolist()) for side in (first, second))
        met = sum(times * theirs[code] for code, times in mine.items())
        expected += met / int(np.count_nonzero(inside))
    return expected / len(columns)
