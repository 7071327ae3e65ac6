"""A re-identifier to start from: for each person of an entry, the customer with the most similar item set.

The platform calls it once for every entry:

    python reidentify.py ORIGINAL_DIR ENTRY_DIR OUT_FILE

ORIGINAL_DIR holds M.csv and T.csv as everybody knows them, ENTRY_DIR the M.csv and T.csv of the entry under
attack. Write to OUT_FILE one line for each row of the entry's M.csv: the number of the row of the original
M.csv (the first is 1) that you take it for, or "-" for no guess.

Rules of the house: Python with numpy, scipy, pandas and scikit-learn, one thread, no network, nothing else to
read; you may write to OUT_FILE and to /tmp. What you print is the log that your team can read. You may upload
this file alone, or a zip with it and whatever else it needs (modules, trained weights).
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import sparse

MASTER = ["customer_id", "gender", "birthday", "country"]
TRANSACTIONS = ["customer_id", "receipt_id", "date", "time", "item_id", "unit_price", "quantity"]


def read(folder: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """M and T of a folder. All cells stay texts: an item id such as 007 must not become 7."""
    master = pd.read_csv(folder / "M.csv", header=None, names=MASTER, dtype=str, keep_default_na=False)
    rows = pd.read_csv(folder / "T.csv", header=None, names=TRANSACTIONS, dtype=str, keep_default_na=False)
    return master, rows


def item_sets(master: pd.DataFrame, rows: pd.DataFrame, items: pd.Index) -> sparse.csr_array:
    """A matrix with a 1 where a person (row) has bought an item (column), however often."""
    person = pd.Index(master["customer_id"]).get_indexer(pd.Index(rows["customer_id"]))
    item = items.get_indexer(pd.Index(rows["item_id"]))
    known = (person >= 0) & (item >= 0)
    shape = (len(master), len(items))
    counts = sparse.coo_array((np.ones(known.sum()), (person[known], item[known])), shape=shape).tocsr()
    counts.data[:] = 1.0
    return counts


def nearest(original: sparse.csr_array, entry: sparse.csr_array) -> np.ndarray:
    """For each row of the entry, the row of the original at the smallest Jaccard distance.

    The similarity is |both| / (|one| + |other| - |both|). `argmax` takes the first of equals: the smallest
    row number, as the contest's own attack does.
    """
    both = (entry @ original.T).toarray()
    either = entry.sum(axis=1)[:, None] + original.sum(axis=1)[None, :] - both
    similarity = np.divide(both, either, out=np.zeros_like(both), where=either > 0)
    return similarity.argmax(axis=1)


def main() -> None:
    original_folder, entry_folder, out_file = (Path(argument) for argument in sys.argv[1:4])
    original_master, original_rows = read(original_folder)
    entry_master, entry_rows = read(entry_folder)
    items = pd.Index(pd.concat([original_rows["item_id"], entry_rows["item_id"]]).unique())
    guess = nearest(
        item_sets(original_master, original_rows, items), item_sets(entry_master, entry_rows, items)
    )
    out_file.write_text("".join(f"{row + 1}\n" for row in guess), encoding="ascii")
    print(f"guessed {len(guess)} people of {len(original_master)}")  # noqa: T201 -- this is the log


if __name__ == "__main__":
    main()
