"""A re-identifier of 2018 to start from: a customer is the pseudonym that shares most purchases.

The platform calls it once for every entry:

    python reidentify.py ORIGINAL_DIR ENTRY_DIR OUT_FILE

ORIGINAL_DIR holds T.csv as everybody knows it, ENTRY_DIR the A.csv of the entry under attack, without deleted
rows. Write to OUT_FILE a line customer,pseudonym for each customer whom you claim to know. An entry is shot
down if enough of your claims are right, and how many are enough grows with the number of claims: claim only
what you believe.

Rules of the house: Python with numpy, scipy, pandas and scikit-learn, one thread, no network, nothing else to
read; you may write to OUT_FILE and to /tmp. What you print is the log that your team can read. You may upload
this file alone, or a zip with it and whatever else it needs (modules, trained weights).
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import sparse

COLUMNS = ["user", "date", "item", "price", "quantity"]


def read(path: Path) -> pd.DataFrame:
    """A table whose cells stay texts: a value, an interval [a;b], a set {i;j} or a star."""
    return pd.read_csv(path, header=None, names=COLUMNS, dtype=str, keep_default_na=False)


def purchases(rows: pd.DataFrame, users: pd.Index, tokens: pd.Index) -> sparse.csr_array:
    """A matrix with a 1 where somebody (row) bought an item on a day (column)."""
    user, token = users.get_indexer(pd.Index(rows["user"])), tokens.get_indexer(pd.Index(rows["token"]))
    known = (user >= 0) & (token >= 0)
    shape = (len(users), len(tokens))
    table = sparse.coo_array((np.ones(known.sum()), (user[known], token[known])), shape=shape).tocsr()
    table.data[:] = 1.0
    return table


def main() -> None:
    original_folder, entry_folder, out_file = (Path(argument) for argument in sys.argv[1:4])
    known, released = read(original_folder / "T.csv"), read(entry_folder / "A.csv")
    for rows in (known, released):
        rows["token"] = rows["date"] + "," + rows["item"]
    customers, pseudonyms = (pd.Index(sorted(rows["user"].unique())) for rows in (known, released))
    tokens = pd.Index(known["token"].unique())
    shared = (purchases(known, customers, tokens) @ purchases(released, pseudonyms, tokens).T).toarray()
    nearest, back = shared.argmax(axis=1), shared.argmax(axis=0)
    lines = [
        f"{customer},{pseudonyms[nearest[row]]}\n"
        for row, customer in enumerate(customers)
        if shared[row, nearest[row]] > 0 and back[nearest[row]] == row
    ]
    out_file.write_text("".join(lines), encoding="ascii")
    print(f"claimed {len(lines)} of {len(customers)} customers")  # noqa: T201 -- this is the log


if __name__ == "__main__":
    main()
