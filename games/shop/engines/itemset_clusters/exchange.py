"""Step 1: who in a cluster takes whose purchases.

Every member of a cluster gets the same item set. If each also takes the purchases of a random member, whose
dates, totals and attributes the release then shows, nothing in the release distinguishes the members: the
best guess inside a cluster is right with probability 1/size, whatever it looks at. Sums over a cluster stay.
"""

from __future__ import annotations

import numpy as np

from datasets.tables import Integers


def horizontal_moves(cluster: Integers, rng: np.random.Generator) -> Integers:
    """A permutation inside clusters that moves every member to each place with equal probability.

    In a cluster of c ≥ 3 exactly one member stays in place, so an attack that recognises the purchases finds
    exactly one member; as P(stays) = 1/c and all other places are equally likely, no attack can expect more.
    A cluster of two is swapped or not; half of these clusters are swapped.

    >>> moves = horizontal_moves(np.zeros(5, dtype=np.int64), np.random.default_rng(1))
    >>> int((moves == np.arange(5)).sum()), sorted(moves.tolist())
    (1, [0, 1, 2, 3, 4])
    """
    source = np.arange(len(cluster))
    order = np.argsort(cluster, kind="stable")
    pairs = []
    for members in np.split(order, np.flatnonzero(np.diff(cluster[order])) + 1):
        if len(members) == 2:
            pairs.append(members)
        elif len(members) > 2:
            moving = np.delete(members, rng.integers(len(members)))
            source[moving] = moving[_derangement(len(moving), rng)]
    swapped = (len(pairs) + int(rng.integers(2))) // 2
    for number in rng.permutation(len(pairs))[:swapped].tolist():
        source[pairs[number]] = pairs[number][::-1]
    return source


def _derangement(count: int, rng: np.random.Generator) -> Integers:
    """A uniformly random permutation without a fixed point, by rejection (e tries on average)."""
    places = np.arange(count)
    while True:
        drawn = rng.permutation(count)
        if not (drawn == places).any():
            return drawn
