"""Clusters of item sets: our search against FasterPAM and an exact solve, and its time against distances."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import kmedoids
import numpy as np
from scipy import sparse

from games.shop.data.folder import read_original
from games.shop.data.generate import generate
from games.shop.data.itemsets import itemset_matrix
from games.shop.data.online_retail import build_online_retail
from games.shop.data.tables import PurchaseData
from games.shop.engines.itemset_clusters.centre_bounds import centre_bound, jaccard_between, pairwise_jaccard
from games.shop.engines.itemset_clusters.jaccard_medians import jaccard_medians
from tests.conftest import SHARED_DATA

LIMIT = 0.7
PUBLISHED_WINNER = 89
"""Clusters of the 2016 winner at ut-jaccard 0.699 (Nakagawa)."""


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def sets_of(data: PurchaseData) -> sparse.csr_matrix:
    return itemset_matrix(data, data.transactions.item.labels)


def fewest_by_fasterpam(distance: np.ndarray, guess: int) -> int:
    """The smallest k at which FasterPAM keeps the limit, searched by bisection around a guess."""
    low, high = guess // 2, min(2 * guess, len(distance) - 1)
    while low + 1 < high:
        k = (low + high) // 2
        found = kmedoids.fasterpam(distance, k, random_state=1, n_cpu=1)
        low, high = (low, k) if found.loss <= LIMIT * len(distance) else (k, high)
    return high


def all_distances(sets: sparse.csr_matrix, keep: bool) -> np.ndarray:
    """All pairwise distances; for many customers a block at a time, of which only the last is kept."""
    if keep:
        return pairwise_jaccard(sets)
    for start in range(0, sets.shape[0], 1000):
        block = jaccard_between(sets[start : start + 1000], sets)
    return block


def contest() -> None:
    sets = sets_of(read_original(SHARED_DATA / "pwscup2016"))
    jaccard_medians(sets[:40], LIMIT, np.random.default_rng(0), 0.01)
    runs = [
        timed(lambda s=seed: jaccard_medians(sets, LIMIT, np.random.default_rng(s))) for seed in range(10)
    ]
    counts = [found.n_clusters for found, _ in runs]
    seconds = float(np.mean([spent for _, spent in runs]))
    distance = pairwise_jaccard(sets)
    medoids, pam = timed(lambda: fewest_by_fasterpam(distance, 73))
    relaxed, lp = timed(lambda: centre_bound(sets, LIMIT))
    exact, solve = timed(lambda: centre_bound(sets, LIMIT, whole=True, seconds=120))
    print(f"2016 data, 400 customers, mean distance <= {LIMIT}; published winner {PUBLISHED_WINNER} clusters")
    print(f"  ours, 10 seeds         {min(counts)} to {max(counts)} clusters   time 1")
    print(f"  FasterPAM, bisection   {medoids} clusters         time {pam / seconds:.2f}")
    print(f"  linear relaxation      >= {relaxed.lower} ({relaxed.relaxed:.2f})     time {lp / seconds:.2f}")
    found = f"{len(exact.centres)} found" if len(exact.centres) else "none found in time"
    print(f"  exact, customer sets   >= {exact.lower}, {found}  time {solve / seconds:.2f}")
    print("  (both bounds hold for centres that are customers' item sets; free centres go below)")


def shop(name: str, data: PurchaseData, with_peer: bool) -> None:
    sets = sets_of(data)
    distance, spent = timed(lambda: all_distances(sets, keep=with_peer))
    found, search = timed(lambda: jaccard_medians(sets, LIMIT, np.random.default_rng(1)))
    print(f"{name}, {sets.shape[0]} customers, {sets.shape[1]} items")
    ratio = search / spent
    print(f"  ours                   {found.n_clusters} clusters, {ratio:.1f} x the time of all distances")
    if with_peer:
        peer, pam = timed(lambda: kmedoids.fasterpam(distance, found.n_clusters, random_state=1, n_cpu=1))
        mean = peer.loss / len(distance)
        print(
            f"  FasterPAM, same count  mean distance {mean:.4f} instead of {found.mean_distance:.4f},",
            end=" ",
        )
        print(f"{pam / spent:.1f} x the time of all distances")


def main() -> None:
    if not SHARED_DATA.is_dir():
        print("skipped: the real data is not on this machine", file=sys.stderr)
        return
    contest()
    retail = next((SHARED_DATA / "online_retail").glob("*.csv.gz"))
    shop("Online Retail", build_online_retail(retail, 4333, 1), with_peer=True)
    shop("generated", generate(10_000, 1), with_peer=False)


if __name__ == "__main__":
    main()
