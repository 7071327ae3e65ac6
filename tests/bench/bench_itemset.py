"""re-itemset against its peers: exact nearest item sets of Online Retail and of 50,000 generated customers.

Peers: scikit-learn's pairwise Jaccard (dense), a blocked scipy.sparse product, a plain inverted-index kernel
(all exact) and datasketch's MinHash forest (approximate). CPU time of one run from the tables in memory to
the guessed rows; ours lists all ties besides. Peers that would take minutes are timed on some of the released
customers and scaled, since they spend the same on every one; datasketch on a twentieth of both tables.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from numba import njit
from scipy import sparse

from datasets.tables import Coded, frozen
from games.shop.attacks.registry import run_attack
from games.shop.data.generate import generate
from games.shop.data.itemsets import itemset_matrix
from games.shop.data.online_retail import build_online_retail
from games.shop.data.tables import PurchaseData

ONLINE_RETAIL = Path(__file__).resolve().parents[3] / "shared/data/online_retail/online_retail.csv.gz"
BLOCK = 256


def main() -> None:
    rng = np.random.default_rng(2016)
    warm_up()
    if ONLINE_RETAIL.is_file():
        retail = build_online_retail(ONLINE_RETAIL, None)
        compare("Online Retail, pseudonymised", retail, retail)
        compare("Online Retail, half of the items replaced", retail, half_replaced(retail, rng))
    else:
        print("Online Retail is not on this machine; only generated customers are measured.")
    many = generate(50_000, seed=1)
    compare("generated, pseudonymised", many, many)
    compare("generated, half of the items replaced", many, half_replaced(many, rng))
    del many
    more = generate(100_000, seed=1)
    measure("generated, pseudonymised", more, more)


def warm_up() -> None:
    """Compile, so that no run pays for it."""
    few = generate(3, seed=1)
    run_attack("re-itemset", few, few, 0)
    by_plain_index(*matrices(few, few))


def half_replaced(original: PurchaseData, rng: np.random.Generator) -> PurchaseData:
    """Half of the rows take the item of another row: distance about 0.7, the limit of 2016."""
    rows = original.transactions
    codes = np.where(rng.random(rows.n_rows) < 0.5, rng.permutation(rows.item.codes), rows.item.codes)
    item = Coded.of(codes, rows.item.labels).take(np.arange(rows.n_rows))
    return PurchaseData(original.master, replace(rows, item=item, price=frozen(rows.price)))


def matrices(original: PurchaseData, released: PurchaseData) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
    labels = original.transactions.item.labels
    known, asked = (itemset_matrix(data, labels).astype(np.float32) for data in (original, released))
    return known, asked


def compare(title: str, original: PurchaseData, released: PurchaseData) -> None:
    seconds, expected = measure(title, original, released)
    before = time.process_time()
    known, asked = matrices(original, released)
    making = time.process_time() - before
    n_asked, large = len(expected), len(expected) > 10_000
    order = np.random.default_rng(1).permutation(n_asked)
    for name, peer, n_rows in (
        ("plain inverted index", by_plain_index, 2500 if large else n_asked),
        ("blocked scipy.sparse product", by_blocked_product, 512 if large else n_asked),
        ("scikit-learn pairwise", by_sklearn, 10 if large else 50),
    ):
        rows = np.sort(order[:n_rows])
        spent, found = cpu_seconds(peer, known, asked[rows])
        ratio = (making + spent * n_asked / n_rows) / seconds
        same = float(np.mean(found == expected[rows]))
        print(f"  {name:30} {ratio:9.1f} x our CPU time, same rows {same:.1%}", flush=True)
    part = np.arange(0, n_asked, 20 if large else 1)
    spent, found = cpu_seconds(by_datasketch, known[part], asked[part])
    ratio = (making + spent * n_asked / len(part)) / seconds
    told = "" if large else f", same rows {float(np.mean(found == expected)):.1%}"
    print(f"  {'datasketch MinHash forest':30} {ratio:9.1f} x our CPU time{told}", flush=True)


def measure(title: str, original: PurchaseData, released: PurchaseData) -> tuple[float, np.ndarray]:
    """Run ours; print the CPU time and, from a second run, the memory above the loaded tables."""
    seconds, guess = cpu_seconds(run_attack, "re-itemset", original, released, 0)
    tracemalloc.start()
    run_attack("re-itemset", original, released, 0)
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    size = f"{original.n_customers:,} customers, {original.transactions.n_rows:,} rows"
    print(f"{title} ({size}): {seconds:.2f} s CPU, {peak:.0f} MiB above the tables", flush=True)
    return seconds, guess.rows  # type: ignore[attr-defined]


def cpu_seconds(function: Callable, *arguments: object) -> tuple[float, np.ndarray]:
    before = time.process_time()
    found = function(*arguments)
    return time.process_time() - before, found


def by_plain_index(original: sparse.csr_matrix, released: sparse.csr_matrix) -> np.ndarray:
    index = original.tocsc()
    sizes = np.diff(original.indptr).astype(np.int64)
    return plain_index(index.indptr, index.indices, sizes, released.indptr, released.indices)


@njit(cache=True)
def plain_index(begin, holders, sizes, start, items):
    """Count every overlap through the inverted index, then take the best of those touched."""
    overlap = np.zeros(len(sizes), dtype=np.int32)
    touched = np.empty(len(sizes), dtype=np.int32)
    answer = np.zeros(len(start) - 1, dtype=np.int64)
    for row in range(len(answer)):
        n_touched = 0
        for item in items[start[row] : start[row + 1]]:
            for holder in holders[begin[item] : begin[item + 1]]:
                if overlap[holder] == 0:
                    touched[n_touched] = holder
                    n_touched += 1
                overlap[holder] += 1
        top, bottom = 0, 1
        for holder in touched[:n_touched]:
            common = overlap[holder]
            union = start[row + 1] - start[row] + sizes[holder] - common
            gain = common * bottom - top * union
            if gain > 0 or (gain == 0 and holder < answer[row]):
                top, bottom, answer[row] = common, union, holder
            overlap[holder] = 0
    return answer


def by_blocked_product(original: sparse.csr_matrix, released: sparse.csr_matrix) -> np.ndarray:
    transposed = original.T.tocsr()
    known, asked = np.diff(original.indptr), np.diff(released.indptr)
    answer = np.zeros(released.shape[0], dtype=np.int64)
    for begin in range(0, released.shape[0], BLOCK):
        common = (released[begin : begin + BLOCK] @ transposed).toarray()
        union = asked[begin : begin + BLOCK, None] + known[None, :] - common
        answer[begin : begin + BLOCK] = np.argmax(common / np.maximum(union, 1), axis=1)
    return answer


def by_sklearn(original: sparse.csr_matrix, released: sparse.csr_matrix) -> np.ndarray:
    from sklearn.metrics import pairwise_distances

    known, asked = original.toarray().astype(bool), released.toarray().astype(bool)
    return np.argmin(pairwise_distances(asked, known, metric="jaccard"), axis=1)


def by_datasketch(original: sparse.csr_matrix, released: sparse.csr_matrix) -> np.ndarray:
    from datasketch import MinHash, MinHashLSHForest

    forest = MinHashLSHForest(num_perm=128)
    words = [str(item).encode() for item in range(original.shape[1])]

    def sketches(matrix: sparse.csr_matrix) -> list[MinHash]:
        sets = ([words[item] for item in part] for part in np.split(matrix.indices, matrix.indptr[1:-1]))
        return MinHash.bulk(sets, num_perm=128, seed=1)

    for row, sketch in enumerate(sketches(original)):
        forest.add(row, sketch)
    forest.index()
    answers = (forest.query(sketch, 1) for sketch in sketches(released))
    return np.array([found[0] if found else -1 for found in answers])


if __name__ == "__main__":
    main()
