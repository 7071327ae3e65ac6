"""People as sets of tokens: the one form in which every attack compares people.

A token is anything that a person may have: a thing, a day, a thing at a price. A multiset is a set too, once
the second copy of a token is a token of its own; so one kernel serves all attacks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import njit

from arithmetic import log2
from datasets.tables import Codes, Integers

Columns = tuple[npt.NDArray, ...]

LOOKUP, LOOKUP_PER_ROW = 2**25, 20
"""Up to this many possible keys, in all and per row, they are numbered by a table of all, not by sorting."""


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
    """Original and released people as sets of the same tokens, and the weight of each token."""

    original: TokenSets
    released: TokenSets
    weights: Integers

    @property
    def n_tokens(self) -> int:
        return len(self.weights)


def shared_codes(original: Columns, released: Columns) -> tuple[Codes, Codes, int]:
    """Number the distinct tuples of both tables together: codes of each table and how many there are.

    >>> shared_codes((np.array([5, 7]), np.array([1, 1])), (np.array([7, 7]), np.array([1, 2])))
    (array([0, 1], dtype=int32), array([1, 2], dtype=int32), 3)
    """
    left, right, n_keys = _packed(original[0], released[0])
    for columns in zip(original[1:], released[1:], strict=True):
        more_left, more_right, width = _packed(*columns)
        if n_keys * width >= 2**62:
            left, right, n_keys = _numbered(left, right, n_keys)
            more_left, more_right, width = _numbered(more_left, more_right, width)
        left = left * np.int64(width) + more_left
        right = right * np.int64(width) + more_right
        n_keys *= width
    return _numbered(left, right, n_keys)


def _packed(left: npt.NDArray, right: npt.NDArray) -> tuple[npt.NDArray, npt.NDArray, int]:
    """The columns as whole numbers from 0, and a bound above all of them."""
    sides = [side for side in (left, right) if len(side)]
    if not sides:
        return left, right, 1
    low, high = min(int(side.min()) for side in sides), max(int(side.max()) for side in sides)
    if high - low >= 2**31:
        return _numbered(left, right, high - low + 1)
    if low:
        left, right = left - low, right - low
    return left, right, high - low + 1


def _numbered(left: npt.NDArray, right: npt.NDArray, n_keys: int) -> tuple[Codes, Codes, int]:
    """Number the distinct keys of both sides without gaps, in ascending order."""
    if n_keys <= min(LOOKUP, LOOKUP_PER_ROW * (len(left) + len(right))):
        used = np.zeros(n_keys, dtype=np.bool_)
        used[left] = used[right] = True
        number: Codes = np.cumsum(used, dtype=np.int32) - np.int32(1)
        return number[left], number[right], int(used.sum())
    distinct, codes = np.unique(np.concatenate([left, right]), return_inverse=True)
    numbers: Codes = codes.astype(np.int32)
    return numbers[: len(left)], numbers[len(left) :], len(distinct)


def set_view(
    sizes: tuple[int, int],
    rows: tuple[npt.NDArray, npt.NDArray],
    columns: tuple[Columns, Columns],
    *,
    copies: bool = False,
    rarity: bool = False,
) -> View:
    """Make a view: tokens are the tuples of ``columns``, held by the people in ``rows``.

    With ``copies``, a person's second copy of a token counts too (a multiset). With ``rarity``, a token
    weighs by how few original people hold it, else 1.
    """
    left, right, n_tokens = shared_codes(*columns)
    original, released = _gathered(sizes[0], rows[0], left), _gathered(sizes[1], rows[1], right)
    if copies:
        original, released, n_tokens = _with_copies(original, released, n_tokens)
    else:
        original, released = _distinct(original), _distinct(released)
    weights = rarity_weights(original, n_tokens) if rarity else np.ones(n_tokens, dtype=np.int64)
    return View(original, released, weights)


def _gathered(n_rows: int, row: npt.NDArray, token: Codes) -> TokenSets:
    """The tokens of every row, ascending, with their repetitions."""
    return TokenSets(*_gather(n_rows, np.asarray(row), token))


@njit(cache=True)
def _gather(n_rows: int, row: npt.NDArray, token: Codes) -> tuple[Integers, Codes]:
    start = np.zeros(n_rows + 1, dtype=np.int64)
    for owner in row:
        start[owner + 1] += 1
    start = np.cumsum(start)
    cursor = start[:-1].copy()
    tokens = np.empty(len(token), dtype=np.int32)
    for place in range(len(row)):
        tokens[cursor[row[place]]] = token[place]
        cursor[row[place]] += 1
    for owner in range(n_rows):
        tokens[start[owner] : start[owner + 1]].sort()
    return start, tokens


def _distinct(sets: TokenSets) -> TokenSets:
    first = copy_numbers(sets) == 0
    kept = np.concatenate([[0], np.cumsum(first)])
    return TokenSets(kept[sets.start], sets.tokens[first])


def _with_copies(left: TokenSets, right: TokenSets, n_tokens: int) -> tuple[TokenSets, TokenSets, int]:
    """Make the second and every further copy of a token within a row a token of its own."""
    numbers = [copy_numbers(sets) for sets in (left, right)]
    codes = shared_codes((numbers[0], left.tokens), (numbers[1], right.tokens))
    owners = [np.repeat(np.arange(sets.n_rows), np.diff(sets.start)) for sets in (left, right)]
    return (
        _gathered(left.n_rows, owners[0], codes[0]),
        _gathered(right.n_rows, owners[1], codes[1]),
        codes[2],
    )


def copy_numbers(sets: TokenSets) -> Codes:
    """Number the copies of a token within a row: 0 for the first, 1 for the second.

    >>> copy_numbers(TokenSets(np.array([0, 3, 4]), np.array([4, 4, 5, 5], dtype=np.int32))).tolist()
    [0, 1, 0, 0]
    """
    return _copies(sets.start, sets.tokens)


@njit(cache=True)
def _copies(start: Integers, tokens: Codes) -> Codes:
    number = np.zeros(len(tokens), dtype=np.int32)
    for row in range(len(start) - 1):
        for place in range(start[row] + 1, start[row + 1]):
            if tokens[place] == tokens[place - 1]:
                number[place] = number[place - 1] + 1
    return number


def rarity_weights(original: TokenSets, n_tokens: int) -> Integers:
    """Weigh tokens by information: 1 + round(64 · log2(n / holders)), whole numbers so that sums are exact.

    >>> rarity_weights(TokenSets(np.array([0, 2, 3]), np.array([0, 1, 0], dtype=np.int32)), 2).tolist()
    [1, 65]
    """
    holders = np.maximum(np.bincount(original.tokens, minlength=n_tokens), 1)
    return 1 + np.rint(64 * log2(max(original.n_rows, 1) / holders)).astype(np.int64)


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
