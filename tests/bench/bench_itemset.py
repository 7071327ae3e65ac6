"""re-itemset against its peers: exact nearest item sets of Online Retail and of 50,000 generated customers.

Peers: scikit-learn's pairwise Jaccard (dense), a blocked scipy.sparse product, a plain inverted-index kernel
(all exact) and datasketch's MinHash forest (approximate). CPU time of one run; slow peers are timed on a sample
of the released customers and scaled, which is fair because their cost is the same for every row.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from numba import njit
from scipy import sparse

from attacks.nearest import nearest
from attacks.tokens import TokenSets, View

ONLINE_RETAIL = Path(__file__).resolve().parents[3] / "shared/data/online_retail/online_retail.csv.gz"
BLOCK = 256


def main() -> None:
    warm_up()
    rng = np.random.default_rng(2016)
    if ONLINE_RETAIL.is_file():
        original = online_retail()
        compare("Online Retail, pseudonymised", original, original, sample=400)
        compare(
            "Online Retail, half of each item set replaced",
            original,
            half_replaced(original, rng),
            sample=400,
        )
    else:
        print("Online Retail is not on this machine; only generated customers are measured.")
    original = generated(50_000, rng)
    compare(
        "50,000 generated, half of each item set replaced", original, half_replaced(original, rng), sample=200
    )
    original = generated(100_000, rng)
    ours_alone("100,000 generated, half of each item set replaced", original, half_replaced(original, rng))


def warm_up() -> None:
    """Compile, so that no run pays for it."""
    few = sparse.csr_matrix(np.eye(3, dtype=np.float32))
    ours(few, few)
    by_plain_index(few, few)


def online_retail() -> sparse.csr_matrix:
    """Item sets of all customers, by the rules with which the 2016 table was cut out of this file."""
    frame = pd.read_csv(ONLINE_RETAIL, dtype=str)
    frame.columns = [name.lower().replace(" ", "").replace("_", "") for name in frame.columns]
    keep = (
        frame["customerid"].notna()
        & ~frame["invoiceno"].str.startswith("C")
        & (frame["quantity"].astype(float) > 0)
        & (frame["unitprice"].astype(float) > 0)
        & (frame["country"] != "Unspecified")
    )
    kept = frame[keep]
    customer, item = pd.factorize(kept["customerid"])[0], pd.factorize(kept["stockcode"])[0]
    return binary(customer, item, (customer.max() + 1, item.max() + 1))


def generated(n_customers: int, rng: np.random.Generator) -> sparse.csr_matrix:
    """Customers with about 60 of 4,000 items, sizes and popularity spread as in Online Retail."""
    sizes = np.clip(rng.lognormal(3.6, 1.0, n_customers), 1, 1500).astype(np.int64)
    popularity = 1 / (np.arange(4000) + 20.0)
    item = rng.choice(4000, sizes.sum(), p=popularity / popularity.sum())
    return binary(np.repeat(np.arange(n_customers), sizes), item, (n_customers, 4000))


def half_replaced(original: sparse.csr_matrix, rng: np.random.Generator) -> sparse.csr_matrix:
    """Half of each set's items replaced by items drawn by popularity: distance about 0.7, the 2016 limit."""
    pairs = original.tocoo()
    item = np.where(rng.random(pairs.nnz) < 0.5, rng.permutation(pairs.col), pairs.col)
    return binary(pairs.row, item, original.shape)


def binary(row: np.ndarray, column: np.ndarray, shape: tuple[int, int]) -> sparse.csr_matrix:
    matrix = sparse.csr_matrix((np.ones(len(row), dtype=np.float32), (row, column)), shape=shape)
    matrix.sum_duplicates()
    matrix.data[:] = 1
    return matrix


def compare(title: str, original: sparse.csr_matrix, released: sparse.csr_matrix, sample: int) -> None:
    seconds, expected = ours_alone(title, original, released)
    some = np.sort(np.random.default_rng(1).choice(released.shape[0], sample, replace=False))
    scale = released.shape[0] / sample
    for name, peer, rows in (
        ("plain inverted index", by_plain_index, None),
        ("blocked sparse product", by_blocked_product, some if scale > 100 else None),
        ("scikit-learn pairwise", by_sklearn, some[:50]),
        ("datasketch MinHash forest", by_datasketch, None if scale < 100 else some),
    ):
        asked = released if rows is None else released[rows]
        spent, found = cpu_seconds(peer, original, asked)
        if name.startswith("datasketch"):
            # Building the forest is paid once, so only whole runs are scaled: see by_datasketch.
            factor = 1.0
        else:
            factor = released.shape[0] / asked.shape[0]
        wanted = expected if rows is None else expected[rows]
        agree = float(np.mean(found == wanted))
        print(
            f"  {name:26} {spent * factor / seconds:9.1f} x our CPU time, same answer for {agree:.1%}",
            flush=True,
        )


def ours_alone(
    title: str, original: sparse.csr_matrix, released: sparse.csr_matrix
) -> tuple[float, np.ndarray]:
    seconds, found = cpu_seconds(ours, original, released)
    tracemalloc.start()
    ours(original, released)
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    print(f"{title}: {seconds:.2f} s CPU, {peak:.0f} MiB above the loaded data", flush=True)
    return seconds, found


def cpu_seconds(function: Callable, *arguments: object) -> tuple[float, np.ndarray]:
    before = time.process_time()
    found = function(*arguments)
    return time.process_time() - before, found


def ours(original: sparse.csr_matrix, released: sparse.csr_matrix) -> np.ndarray:
    sets = [TokenSets(m.indptr.astype(np.int64), m.indices.astype(np.int32)) for m in (original, released)]
    return nearest(View(sets[0], sets[1], np.ones(original.shape[1], dtype=np.int64))).rows


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
