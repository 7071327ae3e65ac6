"""The compiled inner loop of the nearest-set search: one released set against the index.

All comparisons of similarities are between whole numbers: a/b ≥ c/d is tested as a · d ≥ c · b, exact as long
as the weights of one set sum to less than 2**30.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from datasets.tables import Codes, Integers

FIRST_CHECK = 128
"""Index entries read before the first candidate is verified; doubled after every check."""


class Index(NamedTuple):
    """Original sets in ascending order of weight, and for every token the sets that hold it.

    ``row_of[k]`` is the row in M of the k-th set; ``size`` is its weight. Tokens are numbered from the
    rarest to the commonest, so the first tokens of a set are its most informative ones.
    """

    row_of: Integers
    size: Codes
    start: Integers
    tokens: Codes
    posting_start: Integers
    postings: Codes
    weights: Integers


class Scratch(NamedTuple):
    """Working memory: each set's overlap so far, the sets touched, each token's weight in the query, ties."""

    overlap: Codes
    touched: Codes
    wanted: Codes
    ties: Integers


def scratch_for(index: Index) -> Scratch:
    n_sets = len(index.row_of)
    return Scratch(
        np.zeros(n_sets, dtype=np.int32),
        np.empty(n_sets + 1, dtype=np.int32),
        np.zeros(len(index.weights), dtype=np.int32),
        np.empty(n_sets, dtype=np.int64),
    )


@njit(cache=True)
def best_rows(index: Index, query: Codes, scratch: Scratch) -> int:
    """Put the rows of M most similar to the query into ``scratch.ties``, unordered; return how many.

    0 means all rows: the query has nothing in common with anybody.
    """
    weight = 0
    for token in query:
        weight += index.weights[token]
        scratch.wanted[token] = index.weights[token]
    if weight == 0:
        n_empty = int(np.searchsorted(index.size, 1))
        scratch.ties[:n_empty] = index.row_of[:n_empty]
        return n_empty
    n_touched, n_read, unread, top, bottom = gather(index, query, weight, scratch)
    n_kept = settle(index, query, weight, scratch, n_touched, n_read, unread, top, bottom)
    n_ties = 0
    top, bottom = 0, 1
    for k in range(n_kept):
        found = int(scratch.touched[k])
        common = int(scratch.overlap[found])
        scratch.overlap[found] = 0
        union = weight + index.size[found] - common
        gain = common * bottom - top * union
        if gain > 0:
            n_ties, top, bottom = 0, common, union
        if gain >= 0:
            scratch.ties[n_ties] = index.row_of[found]
            n_ties += 1
    for token in query:
        scratch.wanted[token] = 0
    return n_ties


@njit(cache=True)
def gather(index: Index, query: Codes, weight: int, scratch: Scratch) -> tuple[int, int, int, int, int]:
    """Read the index from the rarest token on, until nobody unseen can be among the nearest.

    A set not met among the tokens read so far shares at most the unread weight u with the query, so its
    similarity is at most u / w. Returns how many sets were touched, how many tokens read, the weight still
    unread, and the best similarity verified so far as a fraction.
    """
    n_touched, work, next_check = 0, 0, FIRST_CHECK
    unread = weight
    top, bottom = 0, 1
    for n_read in range(len(query)):
        if unread * bottom < top * weight:
            return n_touched, n_read, unread, top, bottom
        token = query[n_read]
        gain = index.weights[token]
        begin, end = size_range(index, token, weight, top, bottom)
        # A set first met now shares at most the unread weight u, so J ≤ u / (w + s − u): the large ones among
        # them cannot be nearest, and only sets met before are of interest beyond a certain size.
        largest = (unread * (top + bottom)) // top - weight if top > 0 else index.size[-1]
        middle = first_larger(index, begin, end, largest)
        for place in range(begin, middle):
            # Whether a set is new is a coin toss: counting it without a branch is faster.
            found = index.postings[place]
            scratch.touched[n_touched] = found
            n_touched += scratch.overlap[found] == 0
            scratch.overlap[found] += gain
        for place in range(middle, end):
            found = index.postings[place]
            scratch.overlap[found] += gain * (scratch.overlap[found] > 0)
        unread -= gain
        work += end - begin
        if work >= next_check:
            next_check = 4 * work
            top, bottom = probe(index, weight, scratch, n_touched, token, top, bottom)
    return n_touched, len(query), unread, top, bottom


@njit(cache=True)
def size_range(index: Index, token: int, weight: int, top: int, bottom: int) -> tuple[int, int]:
    """The part of a token's postings whose weight s allows the best similarity: J ≤ min(s, w) / max(s, w)."""
    begin, end = index.posting_start[token], index.posting_start[token + 1]
    if top == 0:
        return begin, end
    first = first_larger(index, begin, end, (top * weight - 1) // bottom)
    return first, first_larger(index, first, end, weight * bottom // top)


@njit(cache=True)
def first_larger(index: Index, begin: int, end: int, size: int) -> int:
    """The first posting between two places whose set weighs more than a size."""
    while begin < end:
        middle = (begin + end) // 2
        if index.size[index.postings[middle]] <= size:
            begin = middle + 1
        else:
            end = middle
    return begin


@njit(cache=True)
def verified(index: Index, found: int, scratch: Scratch, last: int) -> int:
    """The full overlap of a set with the query: what was counted up to the last token read, and the rest."""
    common = int(scratch.overlap[found])
    place = index.start[found + 1] - 1
    while place >= index.start[found] and index.tokens[place] > last:
        common += scratch.wanted[index.tokens[place]]
        place -= 1
    return common


@njit(cache=True)
def probe(
    index: Index, weight: int, scratch: Scratch, n_touched: int, last: int, top: int, bottom: int
) -> tuple[int, int]:
    """Verify the touched set that looks most similar so far; return the better of it and the known best."""
    if n_touched == 0:
        return top, bottom
    leader, leader_top, leader_bottom = int(scratch.touched[0]), 0, 1
    for k in range(n_touched):
        found = int(scratch.touched[k])
        common = int(scratch.overlap[found])
        union = weight + index.size[found] - common
        if common * leader_bottom > leader_top * union:
            leader, leader_top, leader_bottom = found, common, union
    common = verified(index, leader, scratch, last)
    union = weight + index.size[leader] - common
    if common * bottom > top * union:
        return common, union
    return top, bottom


@njit(cache=True)
def settle(
    index: Index,
    query: Codes,
    weight: int,
    scratch: Scratch,
    n_touched: int,
    n_read: int,
    unread: int,
    top: int,
    bottom: int,
) -> int:
    """Keep the touched sets that may be nearest and make their overlaps complete; return how many."""
    last = query[n_read - 1]
    top, bottom = probe(index, weight, scratch, n_touched, last, top, bottom)
    n_kept, cost = 0, 0
    for k in range(n_touched):
        found = int(scratch.touched[k])
        bound = min(scratch.overlap[found] + unread, index.size[found])
        if bound * bottom >= top * (weight + index.size[found] - bound):
            scratch.touched[n_kept] = found
            n_kept += 1
            cost += index.start[found + 1] - index.start[found]
        else:
            scratch.overlap[found] = 0
    if unread == 0:
        return n_kept
    rest = 0
    for place in range(n_read, len(query)):
        begin, end = size_range(index, query[place], weight, top, bottom)
        rest += end - begin
    if cost <= rest:
        for k in range(n_kept):
            scratch.overlap[scratch.touched[k]] = verified(index, scratch.touched[k], scratch, last)
        return n_kept
    # Reading on costs less than verifying: only the kept sets still have an overlap to add to.
    for place in range(n_read, len(query)):
        gain = index.weights[query[place]]
        begin, end = size_range(index, query[place], weight, top, bottom)
        for entry in range(begin, end):
            found = index.postings[entry]
            if scratch.overlap[found] > 0:
                scratch.overlap[found] += gain
    return n_kept
