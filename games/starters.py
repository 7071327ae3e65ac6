"""Programs for teams to start from, one per challenge and one that hides, made from what a game declares.

They need nothing but Python. A seeker answers every question with the first legal value, a hider hands the
team's data back: both show where everything is, and run as they are wherever the declaration says how many
rows a file has. A game may bring its own instead (``starter``).
"""

from __future__ import annotations

import datetime
import pprint
from collections.abc import Sequence
from typing import Any

from datasets.tables import EPOCH
from games.contract.declaration import Challenge, Column, Declaration, File, in_language
from games.contract.sentences import sentences

MOST = 4
"""Files of the same kind that a program looks for."""
HELPERS = '''

@functools.cache
def read(name):
    """The rows of a CSV file in the first folder that has it, as dictionaries; None where none has it."""
    path = next((folder / name for folder in PLACES if (folder / name).is_file()), None)
    if path is None:
        return None
    with path.open(newline="", encoding="utf-8-sig") as file:
        lines = list(csv.reader(file))
    header = HEADERS.get(name) or lines.pop(0)
    return [dict(zip(header, line)) for line in lines]


@functools.cache
def values(name, column):
    """What occurs in a column of a file."""
    return sorted({row[column] for row in read(name) or ()}) or [""]


def cell(rule, row):
    """A legal value of a column."""
    if "of" in rule:
        known = values(*rule["of"])
        return known[row % len(known)]
    return rule["value"] + row if rule.get("unique") else rule["value"]


def count(rows):
    """How many rows: a number, or as many as the first of these files that is here."""
    if isinstance(rows, int):
        return rows
    return next((len(found) for name in rows if (found := read(name)) is not None), 1)


def write(name, columns, rows, header):
    path = OUT / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\\n").writerows([columns] * header + rows)
    print(name, len(rows), "rows")
'''
SEEKER = '''"""{title}

{question}

Called once per target, alone and without a network:

    python reidentify.py ROUND MINE TARGET OUT

ROUND   what everybody or programs may read of the round:{round}
MINE    what your team got:{seat}
TARGET  what is published of one target:{entry}, and target.json with its key, slot and labels
OUT     where the answer goes

{rules}

This program gives every question the same legal answer. Change the line that is marked.
"""

import csv
import functools
import json
import sys
from pathlib import Path

ROUND, MINE, TARGET, OUT = map(Path, sys.argv[1:5])
PLACES = (TARGET, MINE, ROUND)
HEADERS = {headers}  # of files without a header line
FILES = {files}
{helpers}

target = json.loads((TARGET / "target.json").read_text(encoding="utf-8"))
for file in FILES if target["slot"] == {slot!r} else ():
    columns = [rule["name"].replace("{{target}}", target["key"]) for rule in file["columns"]]
    for name in file["names"]:
        name = name.replace("{{target}}", target["key"])
        rows = []
        for row in range(count(file["rows"])):
            rows.append([cell(rule, row) for rule in file["columns"]])  # <- your attack goes here
        write(name, columns, rows, file["header"])
'''
HIDER = '''"""{title}

Called once, alone and without a network:

    python anonymize.py ROUND MINE TASK OUT

ROUND   what everybody or programs may read of the round:{round}
MINE    what your team got:{seat}
TASK    task.json with the slot, the alternative and the parameters of the round
OUT     where the files of the entry go

{rules}

This program hands your team's data back as they are. Change the line that is marked.
"""

import csv
import functools
import json
import sys
from pathlib import Path

ROUND, MINE, TASK, OUT = map(Path, sys.argv[1:5])
PLACES = (MINE, ROUND)
HEADERS = {headers}  # of files without a header line
FILES = {files}
{helpers}

task = json.loads((TASK / "task.json").read_text(encoding="utf-8"))
for file in FILES:
    columns = [rule["name"] for rule in file["columns"]]
    for name in file["names"]:
        name = name.replace("{{slot}}", task["slot"])
        given = next((found for other in file["like"] if (found := read(other)) is not None), None)
        rows = []
        for row in range(count(file["rows"]) if given is None else len(given)):
            have = given[row] if given else {{}}
            rows.append([have.get(rule["name"], cell(rule, row)) for rule in file["columns"]])  # <- hide here
        write(name, columns, rows, file["header"])
'''


def seeker(declared: Declaration, challenge: Challenge) -> str:
    """A ``reidentify.py`` that answers one challenge."""
    files = [file for file in declared.files_of("answer", "upload") if file.name in challenge.answer]
    asked = [file for file in declared.files_of("entry", "publish") if file.shown.all in ("open", "publish")]
    described = [_described(file, asked) for file in files]
    return SEEKER.format(
        title=_line(f"{in_language(declared.title, 'en')}: {in_language(challenge.title, 'en')}"),
        question=_line(in_language(challenge.question, "en")),
        slot=challenge.slot,
        **_parts(declared, files, described),
    )


def hider(declared: Declaration) -> str:
    """An ``anonymize.py`` that hands the data back."""
    files = declared.files_of("entry", "upload")
    readable = (*declared.files_of("seat"), *declared.files_of("round"))
    own = [file for file in readable if not file.shown.is_secret]
    described = [{**_described(file, own), "like": _like(file, own)} for file in files]
    return HIDER.format(
        title=_line(f"{in_language(declared.title, 'en')}: a program that makes an entry"),
        **_parts(declared, files, described),
    )


def _parts(declared: Declaration, files: Sequence[File], described: list[dict[str, Any]]) -> dict[str, str]:
    """What both kinds of program say: the folders, the rules of the files, and how to write them."""
    seen = [file for file in declared.files if file.scope != "answer" and not file.shown.is_secret]
    headers = {
        name: [column.name for column in file.columns]
        for file in seen
        if file.columns and file.header == "none"
        for name in file.names()
    }
    folders = {
        scope: "".join(f" {_line(file.name)}" for file in seen if file.scope == scope) or " nothing"
        for scope in ("round", "seat", "entry")
    }
    rules = "\n".join(f"- {_line(str(sentence))}" for file in files for sentence in sentences(file))
    return {
        **folders,
        "rules": rules,
        "headers": repr(headers),
        "files": pprint.pformat(described, width=110, sort_dicts=False),
        "helpers": HELPERS,
    }


def _line(text: str) -> str:
    """Words of a game inside a text of the program, which they can neither end nor escape."""
    return " ".join(text.replace("\\", "/").replace('"', "'").split())


def _described(file: File, asked: Sequence[File]) -> dict[str, Any]:
    return {
        "names": list(file.names(("{target}",), "{slot}")),
        "header": bool(file.columns) and file.header != "none",
        "rows": _rows(file, asked),
        "columns": [_rule(column) for column in file.columns],
    }


def _rows(file: File, asked: Sequence[File]) -> int | list[str]:
    """A number, or the files that have as many; where the game says nothing, those that ask."""
    if not file.columns:
        return 0
    if file.rows is not None:
        return file.rows if isinstance(file.rows, int) else [file.rows]
    return [name for one in asked if one.columns for name in one.names()][:MOST]


def _like(file: File, own: Sequence[File]) -> list[str]:
    """Files of the team or the round that have all the columns of an entry's file."""
    wanted = {column.name for column in file.columns}
    found = [one for one in own if wanted and wanted <= {column.name for column in one.columns}]
    return [name for one in found for name in one.names()][:MOST]


def _rule(column: Column) -> dict[str, Any]:
    if isinstance(column.domain, str):
        file, _, name = column.domain.rpartition(":")
        return {"name": column.name, "of": (file, name)}
    if column.domain:
        return {"name": column.name, "value": column.domain[0]}
    rule: dict[str, Any] = {"name": column.name, "value": _first(column)}
    return {**rule, "unique": True} if column.unique and column.kind == "int" else rule


def _first(column: Column) -> Any:
    """The least legal value of a column.

    >>> _first(Column("day", "date", (1, 9))), _first(Column("age", "int", (18, 120)))
    ('1970-01-02', 18)
    """
    low = column.span[0] if column.span else 0
    if column.kind == "date":
        return (EPOCH + datetime.timedelta(days=int(low))).isoformat()
    if column.kind in ("text", "choice"):
        return "a"
    return int(low) if column.kind == "int" or float(low).is_integer() else low
