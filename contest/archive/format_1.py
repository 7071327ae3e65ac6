"""Archives of format 1: rows as version 0.1 had them, as the rows that they are today.

Format 1 had a column for each of the files and counts of a data set. Format 2 has maps of files by name,
numbers by name, and rows of their own for secrets.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from contest.models.sealed import TRUTH
from contest.records.verify import BadArchive
from games.formats import OLDEST, Format, find_format
from games.formats.guessing import find_game
from games.formats.older_columns import DATASET_COLUMNS, FOUND, PEOPLE, listed_facts, named_files

Row = dict[str, Any]
Tables = dict[str, list[Row]]


def lifted(tables: Mapping[str, list[Row]]) -> Tables:
    """The tables in format 2; the argument stays as it is."""
    try:
        return _lifted(tables)
    except (KeyError, TypeError, ValueError) as error:
        raise BadArchive(f"manifest.json: the rows are not of format 1 ({error!r}).") from None


def _lifted(tables: Mapping[str, list[Row]]) -> Tables:
    specs = {row["id"]: find_format(row.get("format", OLDEST)) for row in tables["dataset"]}
    played = {row["id"]: specs[row["dataset"]] for row in tables["round"]}
    rounds = {row["id"]: row["round"] for row in tables["entry"]}
    changed = {
        "dataset": [_dataset(row, specs[row["id"]]) for row in tables["dataset"]],
        "entry": [_entry(row, played[row["round"]]) for row in tables["entry"]],
        "sealed": _sealed(tables["entry"]),
        "attackrun": [_run(row, played[rounds[row["entry"]]]) for row in tables["attackrun"]],
        "commitment": [{**row, "shape": 1} for row in tables["commitment"]],
    }
    return {**tables, **changed}


def _dataset(row: Row, spec: Format) -> Row:
    files = named_files(spec.data_files, row["master_sha256"], row["transactions_sha256"])
    return {
        **_without(row, *DATASET_COLUMNS),
        "files": files | row.get("knowledge", {}),
        "facts": listed_facts(row),
        "n_people": row[PEOPLE],
    }


def _entry(row: Row, spec: Format) -> Row:
    return {
        **_without(row, "master_sha256", "transactions_sha256", "truth_sha256", "n_released", "most_hits",
                   "guesses"),
        "published": named_files(spec.public_files, row["master_sha256"], row["transactions_sha256"]),
        "n_people": row["n_released"],
        "numbers": _numbers(hits=row["most_hits"], guesses=row.get("guesses")),
    }  # fmt: skip


def _sealed(entries: list[Row]) -> list[Row]:
    """A row for each truth; those that a team withholds are known by their hashes all the same."""
    known = [entry for entry in entries if entry["truth_sha256"]]
    return [
        {
            "id": number,
            "round": entry["round"],
            "scope": "entry",
            "entry": entry["id"],
            "name": TRUTH,
            "sha256": entry["truth_sha256"],
            "bytes": None,
        }
        for number, entry in enumerate(known, start=1)
    ]


def _run(row: Row, spec: Format) -> Row:
    counted = {name: row.get(name) for name in ("hits", "guesses", "expected_hits")}
    return {
        **_without(row, "hits", "guesses", "expected_hits", "rate", "guess_sha256", FOUND),
        "challenge": find_game(spec.name).challenge,
        "risk": row["rate"],
        "numbers": _numbers(**counted),
        "answer_sha256": row["guess_sha256"],
        "found_rows": row.get(FOUND, []),
    }


def _numbers(**numbers: float | None) -> dict[str, float]:
    """What was counted; what is unknown is left out."""
    return {name: number for name, number in numbers.items() if number is not None}


def _without(row: Row, *names: str) -> Row:
    return {name: value for name, value in row.items() if name not in names}
