"""Customers as sets of tokens: the one form in which every attack compares people.

A token is anything a customer may have: an item, a day, an item at a price. A multiset is a set too, once
the second copy of a token is a token of its own; so one kernel serves all attacks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import njit

from datasets.tables import Codes, Integers

Columns = tuple[npt.NDArray, ...]


@dataclass(frozen=True, eq=False)
class TokenSets:
    """Row i holds the tokens ``tokens[start[i]:start[i + 1]]``, ascending, each once."""

    start: Integers
    tokens: Codes

    @property
    def n_rows(self) -> int:
        return len(self.start) - 1


@dataclass(frozen=True, eq=False)
class View:
    """Original and released customers as sets of the same tokens, and the weight of each token."""

    original: TokenSets
    released: TokenSets
    weights: Integers

    @property
    def n_tokens(self) -> int:
        return len(self.weights)


def shared_codes(original: Columns, released: Columns) -> tuple[Integers, Integers, int]:
    """Number the distinct tuples of both tables together: codes of each table and how many there are.

    >>> shared_codes((np.array([5, 7]), np.array([1, 1])), (np.array([7, 7]), np.array([1, 2])))
    (array([0, 1]), array([1, 2]), 3)
    """
    split = len(original[0])
    codes = np.zeros(split + len(released[0]), dtype=np.int64)
    n_codes = 1
    for left, right in zip(original, released, strict=True):
        column = np.concatenate([left, right])
        distinct, inverse = np.unique(column, return_inverse=True)
        pairs, codes = np.unique(codes * max(len(distinct), 1) + inverse, return_inverse=True)
        n_codes = len(pairs)
    return codes[:split], codes[split:], n_codes


def token_sets(n_rows: int, row: npt.NDArray, token: npt.NDArray, n_tokens: int) -> TokenSets:
    """Gather (row, token) pairs, repeated or not, into sets.

    >>> sets = token_sets(2, np.array([1, 1, 1]), np.array([2, 0, 2]), 3)
    >>> sets.start.tolist(), sets.tokens.tolist()
    ([0, 0, 2], [0, 2])
    """
    width = max(n_tokens, 1)
    pairs = np.unique(row.astype(np.int64) * width + token)
    rows, tokens = np.divmod(pairs, width)
    start = np.zeros(n_rows + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows, minlength=n_rows), out=start[1:])
    return TokenSets(start, tokens.astype(np.int32))


def copy_numbers(row: npt.NDArray, token: npt.NDArray) -> Integers:
    """Number the copies of a token within a row: 0 for the first, 1 for the second.

    >>> copy_numbers(np.array([0, 0, 1, 0]), np.array([4, 4, 4, 5])).tolist()
    [0, 1, 0, 0]
    """
    order = np.lexsort((token, row))
    sorted_row, sorted_token = row[order], token[order]
    fresh = np.ones(len(row), dtype=bool)
    fresh[1:] = (sorted_row[1:] != sorted_row[:-1]) | (sorted_token[1:] != sorted_token[:-1])
    position = np.arange(len(row))
    begin = np.maximum.accumulate(np.where(fresh, position, 0)) if len(row) else position
    numbers = np.empty(len(row), dtype=np.int64)
    numbers[order] = position - begin
    return numbers


def set_view(
    sizes: tuple[int, int],
    rows: tuple[npt.NDArray, npt.NDArray],
    columns: tuple[Columns, Columns],
    *,
    copies: bool = False,
    rarity: bool = False,
) -> View:
    """Make a view: tokens are the tuples of ``columns``, held by the customers in ``rows``.

    With ``copies``, a customer's second copy of a token counts too (a multiset). With ``rarity``, a token
    weighs by how few original customers hold it, else 1.
    """
    left, right, n_tokens = shared_codes(*columns)
    if copies:
        copy = copy_numbers(rows[0], left), copy_numbers(rows[1], right)
        left, right, n_tokens = shared_codes((left, copy[0]), (right, copy[1]))
    original = token_sets(sizes[0], rows[0], left, n_tokens)
    released = token_sets(sizes[1], rows[1], right, n_tokens)
    weights = rarity_weights(original, n_tokens) if rarity else np.ones(n_tokens, dtype=np.int64)
    return View(original, released, weights)


def rarity_weights(original: TokenSets, n_tokens: int) -> Integers:
    """Weigh tokens by information: 1 + round(64 · log2(n / holders)), whole numbers so that sums are exact.

    >>> rarity_weights(TokenSets(np.array([0, 2, 3]), np.array([0, 1, 0], dtype=np.int32)), 2).tolist()
    [1, 65]
    """
    holders = np.maximum(np.bincount(original.tokens, minlength=n_tokens), 1)
    return 1 + np.rint(64 * np.log2(max(original.n_rows, 1) / holders)).astype(np.int64)


@njit(cache=True)
def scrambled(number: int) -> int:
    """A fixed hash of a whole number (the finaliser of SplitMix64), so that sums of hashes mark sets."""
    bits = np.uint64(number) + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return int(np.int64(bits ^ (bits >> np.uint64(31))))


@njit(cache=True)
def scrambled_all(numbers: Integers) -> Integers:
    marks = np.empty(len(numbers), dtype=np.int64)
    for place in range(len(numbers)):
        marks[place] = scrambled(numbers[place])
    return marks
