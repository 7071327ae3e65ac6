"""The fewest clusters of item sets whose mean Jaccard distance to free centres stays within a limit."""

from __future__ import annotations

import logging
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from datasets.tables import Integers
from games.shop.data.itemsets import paired_jaccard
from games.shop.engines.itemset_clusters.jaccard_kernels import (
    drop,
    drop_losses,
    fill_distances,
    improve,
    rank_all,
    settle,
    total_distance,
)

log = logging.getLogger(__name__)

HEAT = 0.15
"""Worsening, in units of one customer's distance, that is accepted with probability 1/e at the start; the
search cools from there to nothing."""


@dataclass(frozen=True, eq=False)
class Clustering:
    """``cluster[i]`` is the cluster of customer i, row k of ``centres`` the item set of cluster k."""

    cluster: Integers
    centres: sparse.csr_matrix
    mean_distance: float

    @property
    def n_clusters(self) -> int:
        return self.centres.shape[0]


def jaccard_medians(
    sets: sparse.csr_matrix, limit: float, rng: np.random.Generator, effort: float = 1.0
) -> Clustering:
    """Search for the fewest clusters with mean Jaccard distance to their centres ≤ limit.

    minimise K  subject to  Σ_i min_{k ≤ K} d(S_i, C_k) ≤ limit · n,  C_k any item set.

    A p-median search with moving centres: drop a centre that is cheap to drop, put it on a customer that is
    far from its own, settle the neighbourhood (each centre toggles items while that lowers the sum of
    distances of its members), keep the move if it pays off. Whenever the budget is met, one centre is dropped
    for good. ``effort`` scales the number of moves; their cost is local, and fewer are made for more
    customers, so that the time stays within a small multiple of that of all pairwise distances.

    >>> sets = sparse.csr_matrix([[1.0, 1, 0, 0], [1, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1]])
    >>> jaccard_medians(sets, 0.1, np.random.default_rng(1)).n_clusters
    2
    """
    n = sets.shape[0]
    # The search adds up single precision distances, so it stays slightly below the limit itself.
    target = max(limit * n - 1e-6 * n, 0.0)
    search = _Search(sets, target, rng)
    search.start()
    steps = int(effort * min(10_000, 4_000_000 / n))
    cooling = HEAT / max(steps, 1)
    best = search.snapshot()
    while search.n_centres > 1:
        search.drop_cheapest()
        steps -= search.improve(steps, cooling)
        if total_distance(search.distance, search.near) > target:
            break
        best = search.snapshot()
        log.info("%d clusters are within the limit, %d moves left", search.n_centres, steps)
    return _finished(sets, *best)


def _finished(sets: sparse.csr_matrix, cluster: Integers, centres: npt.NDArray[np.int8]) -> Clustering:
    used, renumbered = np.unique(cluster, return_inverse=True)
    kept = sparse.csr_matrix(centres[used].astype(np.float64))
    distance = paired_jaccard(sets, kept[renumbered])
    return Clustering(renumbered.astype(np.int64), kept, float(distance.mean()))


class _Search:
    """The state of the search: centres, distances, and the two nearest centres of every customer."""

    def __init__(self, sets: sparse.csr_matrix, target: float, rng: np.random.Generator) -> None:
        self.sets = sets
        self.indptr = sets.indptr.astype(np.int64)
        self.indices = sets.indices.astype(np.int64)
        self.target = target
        self.rng = rng
        n = sets.shape[0]
        self.near = np.zeros(n, dtype=np.int64)
        self.second = np.full(n, -1, dtype=np.int64)
        self.centres = np.zeros((0, sets.shape[1]), dtype=np.int8)
        self.distance = np.zeros((0, n), dtype=np.float32)
        self.n_centres = 0

    def start(self) -> None:
        """Add centres on far customers and drop cheap ones until the budget is just met."""
        n = len(self.near)
        share = np.clip(1.0 - self.target / n, 0.0, 1.0)
        self.add(self.rng.choice(n, size=max(1, int(0.6 * share * n)), replace=False))
        self.settle(3)
        while (excess := total_distance(self.distance, self.near) - self.target) > 0:
            far = self.distance[self.near, np.arange(n)].astype(np.float64)
            count = min(max(1, int(excess)), int((far > 0).sum()))
            self.add(self.rng.choice(n, size=count, replace=False, p=far / far.sum()))
            self.settle(3)
        while True:
            losses = drop_losses(self.distance, self.n_centres, self.near, self.second)
            slack = self.target - total_distance(self.distance, self.near)
            cheap = np.argsort(losses, kind="stable")
            count = int((np.cumsum(losses[cheap]) < 0.8 * slack).sum())
            if count == 0 or self.n_centres - count < 1:
                return
            before = (
                self.n_centres,
                self.centres.copy(),
                self.distance.copy(),
                self.near.copy(),
                self.second.copy(),
            )
            for k in sorted(cheap[:count].tolist(), reverse=True):
                self.drop(k)
            self.settle(3)
            # Neighbouring centres that go together cost more than each alone.
            if total_distance(self.distance, self.near) > self.target:
                self.n_centres, self.centres, self.distance, self.near, self.second = before
                return

    def add(self, seeds: Integers) -> None:
        """Add centres on the item sets of some customers."""
        first = self.n_centres
        fresh = self.sets[seeds].toarray().astype(np.int8)
        self.centres = np.concatenate([self.centres[:first], fresh])
        rows = np.empty((len(seeds), len(self.near)), dtype=np.float32)
        self.distance = np.concatenate([self.distance[:first], rows])
        self.n_centres = first + len(seeds)
        for k in range(first, self.n_centres):
            fill_distances(self.indptr, self.indices, self.centres[k], self.distance[k])
        rank_all(self.distance, self.n_centres, self.near, self.second)

    def settle(self, rounds: int) -> None:
        dirty = np.ones(self.n_centres, dtype=np.bool_)
        settle(
            self.indptr, self.indices, self.centres, self.distance, self.n_centres, self.near, self.second,
            dirty, rounds,
        )  # fmt: skip

    def drop(self, k: int) -> None:
        dirty = np.zeros(self.n_centres, dtype=np.bool_)
        self.n_centres = drop(self.centres, self.distance, self.n_centres, self.near, self.second, dirty, k)

    def drop_cheapest(self) -> None:
        self.drop(int(np.argmin(drop_losses(self.distance, self.n_centres, self.near, self.second))))

    def improve(self, steps: int, cooling: float) -> int:
        taken = improve(
            self.indptr, self.indices, self.centres, self.distance, self.n_centres, self.near, self.second,
            self.target, steps, cooling, self.rng,
        )  # fmt: skip
        return int(taken)

    def snapshot(self) -> tuple[Integers, npt.NDArray[np.int8]]:
        return self.near.copy(), self.centres[: self.n_centres].copy()
