"""A re-identifier of 2017 to start from: a customer's month is the pseudonym with the most similar items.

The platform calls it once for every entry:

    python reidentify.py ORIGINAL_DIR ENTRY_DIR OUT_FILE

ORIGINAL_DIR holds M.csv, T.csv and what is known of T in T25.csv, T50.csv, T75.csv and T100.csv; ENTRY_DIR
holds S.csv, the rows that the entry kept, under pseudonyms. Write to OUT_FILE one line for each customer of
whom you say something: the customer's id and the twelve pseudonyms from December to November, DEL for a month
without any. A customer is found only if all twelve are right.

Rules of the house: Python with numpy, scipy, pandas and scikit-learn, one thread, no network, nothing else to
read; you may write to OUT_FILE and to /tmp. What you print is the log that your team can read. You may upload
this file alone, or a zip with it and whatever else it needs (modules, trained weights).
"""

import sys
from pathlib import Path

import pandas as pd

COLUMNS = ["user", "receipt", "date", "time", "item", "price", "quantity"]
MONTHS = 12


def read(path: Path) -> pd.DataFrame:
    """A sheet with the month of every row: 0 is December, 11 November. All other cells stay texts."""
    rows = pd.read_csv(path, header=None, names=COLUMNS, dtype=str, keep_default_na=False)
    rows = rows[rows["user"] != "DEL"].copy()
    rows["month"] = rows["date"].str.split("/").str[1].astype(int) % MONTHS
    return rows


def item_sets(rows: pd.DataFrame) -> dict[tuple[str, int], set[str]]:
    """The items that somebody bought in a month."""
    sets: dict[tuple[str, int], set[str]] = {}
    for user, month, item in zip(rows["user"], rows["month"], rows["item"], strict=True):
        sets.setdefault((user, month), set()).add(item)
    return sets


def most_similar(items: set[str], candidates: list[tuple[str, set[str]]]) -> str:
    """The pseudonym with the largest Jaccard similarity, the first of equals; DEL where nothing is shared."""
    best, name = 0.0, "DEL"
    for pseudonym, others in candidates:
        similarity = len(items & others) / len(items | others)
        if similarity > best:
            best, name = similarity, pseudonym
    return name


def main() -> None:
    original_folder, entry_folder, out_file = (Path(argument) for argument in sys.argv[1:4])
    known, released = item_sets(read(original_folder / "T.csv")), item_sets(read(entry_folder / "S.csv"))
    candidates: dict[int, list[tuple[str, set[str]]]] = {month: [] for month in range(MONTHS)}
    for (pseudonym, month), items in sorted(released.items()):
        candidates[month].append((pseudonym, items))
    guesses = {customer: ["DEL"] * MONTHS for customer, _ in sorted(known)}
    for (customer, month), items in known.items():
        guesses[customer][month] = most_similar(items, candidates[month])
    lines = (",".join([customer, *months]) + "\n" for customer, months in guesses.items())
    out_file.write_text("".join(lines), encoding="ascii")
    print(f"guessed {len(guesses)} customers")  # noqa: T201 -- this is the log


if __name__ == "__main__":
    main()
