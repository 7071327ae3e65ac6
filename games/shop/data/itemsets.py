"""Item sets of customers as a sparse matrix: what attacks compare and what anonymizers make equal."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse

from games.shop.data.tables import PurchaseData


def itemset_matrix(data: PurchaseData, labels: npt.NDArray[np.object_]) -> sparse.csr_matrix:
    """The binary matrix customers × items: 1 where the customer bought the item at least once.

    Columns follow ``labels``; items that are not among them are left out. Column indices of every row are
    sorted and values are float64, so that products of two such matrices count common items exactly.

    >>> from games.shop.data.tables import PurchaseData, MASTER_COLUMNS, TRANSACTION_COLUMNS
    >>> m = pd.DataFrame([["1", "f", "1970/1/1", "UK"], ["2", "m", "1970/1/1", "UK"]], columns=MASTER_COLUMNS)
    >>> lines = [["1", "a", "2011/1/1", "9:00", "tea", "1", 2], ["2", "b", "2011/1/1", "9:00", "pie", "1", 1]]
    >>> t = pd.DataFrame(lines, columns=TRANSACTION_COLUMNS)
    >>> data, items = PurchaseData.from_frames(m, t), np.array(["pie", "tea"], dtype=object)
    >>> itemset_matrix(data, items).toarray().tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    rows = data.transactions
    column = pd.Index(labels).get_indexer(pd.Index(rows.item.labels))[rows.item.codes]
    known = column >= 0
    pairs = np.unique(rows.customer[known].astype(np.int64) * max(len(labels), 1) + column[known])
    customer, item = np.divmod(pairs, max(len(labels), 1))
    shape = (data.n_customers, len(labels))
    return sparse.csr_matrix((np.ones(len(pairs)), (customer, item)), shape=shape)


def paired_jaccard(left: sparse.csr_matrix, right: sparse.csr_matrix) -> npt.NDArray[np.float64]:
    """Jaccard distance of row i of one matrix to row i of the other; two empty sets are at distance 0.

    d(A, B) = 1 − |A ∩ B| / |A ∪ B|, from 0 (equal) to 1 (nothing in common).

    >>> one, other = sparse.csr_matrix([[1.0, 1.0, 0.0]]), sparse.csr_matrix([[0.0, 1.0, 1.0]])
    >>> paired_jaccard(one, other).round(3).tolist()
    [0.667]
    """
    common = np.asarray(left.multiply(right).sum(axis=1)).ravel()
    union = np.asarray(left.sum(axis=1)).ravel() + np.asarray(right.sum(axis=1)).ravel() - common
    return np.where(union > 0, 1.0 - common / np.maximum(union, 1.0), 0.0)
