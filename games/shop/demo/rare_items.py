"""The re-identifier of a demo team: what few people buy says most about a person, and nobody is two people.

It is called as `python reidentify.py ORIGINAL_DIR ENTRY_DIR OUT_FILE` and runs in the sandbox, without any of
the platform's code.
"""

import csv
import sys
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment

CUSTOMER, ITEM = 0, 4


def column(path: Path, number: int) -> list[str]:
    with path.open(encoding="utf-8", newline="") as file:
        return [row[number] for row in csv.reader(file)]


def bought(folder: Path, items: dict[str, int]) -> sparse.csr_array:
    """A matrix with a 1 where a person (row of M) has bought an item (column), however often.

    Items that were not seen before get the next columns.
    """
    people = {name: row for row, name in enumerate(column(folder / "M.csv", CUSTOMER))}
    rows = [people[name] for name in column(folder / "T.csv", CUSTOMER)]
    columns = [items.setdefault(name, len(items)) for name in column(folder / "T.csv", ITEM)]
    shape = (len(people), len(items))
    counts = sparse.coo_array((np.ones(len(rows)), (rows, columns)), shape=shape).tocsr()
    counts.data[:] = 1.0
    return counts


def weighted(sets: sparse.csr_array, buyers: np.ndarray) -> sparse.csr_array:
    """Rows of length 1 in which an item weighs log(n / buyers): what everybody buys says nothing."""
    weights = np.log((1 + sets.shape[0]) / (1 + buyers))
    heavy = sets @ sparse.diags_array(weights)
    lengths = np.sqrt(heavy.multiply(heavy).sum(axis=1))
    return sparse.diags_array(1 / np.where(lengths > 0, lengths, 1.0)) @ heavy


def main() -> None:
    original_folder, entry_folder, out_file = (Path(argument) for argument in sys.argv[1:4])
    items: dict[str, int] = {}
    original = bought(original_folder, items)
    entry = bought(entry_folder, items)
    original.resize(original.shape[0], len(items))
    buyers = original.sum(axis=0)
    similarity = (weighted(entry, buyers) @ weighted(original, buyers).T).toarray()
    rows, guess = linear_sum_assignment(similarity, maximize=True)
    answer = np.full(entry.shape[0], -1)
    answer[rows] = guess
    out_file.write_text("".join("-\n" if row < 0 else f"{row + 1}\n" for row in answer), encoding="ascii")
    print(f"guessed {len(rows)} people of {original.shape[0]}")  # noqa: T201 -- this is the log


if __name__ == "__main__":
    main()
