"""Rounding cuts: what a program without whole numbers cannot see, that nobody can stay on half a row.

Let S be some rows and E some incidences. Each open row needs k people, and an incidence of E gives one at
most to all of S together, so k·V ≤ |E| + I, where V of the rows are open and I people come to them who are
not in E. With m = ⌊|E| / k⌋, either V ≤ m or V ≥ m + 1, and in both cases

    I ≥ (k·(m + 1) − |E|)·(V − m).

If y_e is what e gives to S, a fractional solution violates this most for E = {e: y_e > V − m} and m = ⌊V⌋,
namely where Σ_e min(y_e, V − m) < k·(m + 1)·(V − m). Sets of rows are grown from every row that is open in
part, each time by the neighbour that makes the violation largest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from anonymizers.engines.kmm.problem import Floats
from datasets.tables import Integers

MOST_ROWS = 10
"""No more rows than this make one cut."""
NEIGHBOURS = 60
"""This many rows around the first one, those that share most people with it, may join it."""
EACH_ROW = 3
"""A row is in at most this many new cuts of a round; those that violate most come first."""
LEAST, PART = 1e-4, 0.02
"""A cut is worth adding if it is violated by this much, and V is this much above a whole number."""


@dataclass(frozen=True, eq=False)
class Cut:
    """I ≥ factor · (V − full) for the rows S, where the incidences ``inside`` do not count in I."""

    rows: Integers
    inside: Integers
    factor: int
    full: int


@dataclass(frozen=True, eq=False)
class Fraction:
    """A solution without whole numbers, as far as deficient rows take part in it.

    Arc a gives ``share[a]`` of the incidence ``incidence[a]`` to ``row[a]``. Rows are counted from 0; for
    each it gives how far it is open and how many fillers it takes.
    """

    incidence: Integers
    row: Integers
    share: Floats
    opened: Floats
    fillers: Floats


def violated(found: Fraction, k: int) -> list[Cut]:
    """Cuts that the solution violates, the most violated first; few of them share a row."""
    from scipy.sparse import csr_array

    shape = (len(found.opened), int(found.incidence.max(initial=-1)) + 1)
    shares = csr_array((found.share, (found.row, found.incidence)), shape=shape)
    common = csr_array(shares @ shares.T)
    reach = csr_array(common @ common)
    cuts: dict[bytes, tuple[float, Cut]] = {}
    for seed in np.flatnonzero((found.opened > 1e-6) & (found.opened < 1 - 1e-6)).tolist():
        near = reach.indices[reach.indptr[seed] : reach.indptr[seed + 1]]
        weight = reach.data[reach.indptr[seed] : reach.indptr[seed + 1]]
        near = near[np.argsort(-weight, kind="stable")[:NEIGHBOURS]]
        near = np.append(seed, near[near != seed])
        local = csr_array(shares[near])
        people = np.unique(local.indices)
        given = local[:, people].toarray()
        for worth, cut in _grown(given, found.opened[near], found.fillers[near], k):
            rows = np.sort(near[cut.rows])
            if worth > cuts.get(rows.tobytes(), (0.0, cut))[0]:
                cuts[rows.tobytes()] = worth, replace(cut, rows=rows, inside=people[cut.inside])
    return _spread([cut for _, cut in sorted(cuts.values(), key=lambda pair: -pair[0])], len(found.opened))


def _grown(given: Floats, opened: Floats, fillers: Floats, k: int) -> Iterator[tuple[float, Cut]]:
    """Add row after row to the first one; every violated set on the way, with what it is worth."""
    members = [0]
    total, whole, extra = given[0].copy(), opened[0], fillers[0]
    while len(members) < min(MOST_ROWS, len(given)):
        together = whole + opened
        full = np.floor(together + 1e-9)
        beyond = together - full
        gained = np.minimum(total + given, beyond[:, None]).sum(axis=1) + extra + fillers
        by = k * (full + 1) * beyond - gained
        by[members] = -np.inf
        chosen = int(np.argmax(by))
        members.append(chosen)
        total, whole, extra = total + given[chosen], together[chosen], extra + fillers[chosen]
        inside = np.flatnonzero(total > beyond[chosen])
        most = int(full[chosen])
        if by[chosen] > LEAST and beyond[chosen] > PART and k * most <= len(inside) < k * (most + 1):
            factor = k * (most + 1) - len(inside)
            outside = np.count_nonzero(total) - len(inside)
            worth = by[chosen] / np.sqrt(factor**2 * len(members) + outside)
            yield worth, Cut(np.array(members), inside, factor, most)


def _spread(cuts: list[Cut], n_rows: int) -> list[Cut]:
    used = np.zeros(n_rows, dtype=np.int64)
    kept = []
    for cut in cuts:
        if used[cut.rows].max() < EACH_ROW:
            used[cut.rows] += 1
            kept.append(cut)
    return kept
