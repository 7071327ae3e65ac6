"""Tables that no declaration knows: their columns are found in the file, then held to what was found."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from games.contract.declaration import Column, File
from games.contract.files import INTEGER, REAL, read_file
from games.contract.tables import Columns

Texts = npt.NDArray[np.object_]
Kind = Literal["integer", "number", "category"]
Schema = Mapping[str, Kind]
"""The columns of a table in their order."""
UNIT = "unit"
"""The column that says whose row it is, where the rows are grouped; it comes first."""
LONGEST = 200
MOST_COLUMNS = 500


class BadTable(ValueError):
    """A table that organisers brought cannot be played with; the text says what to change."""


def header_of(content: bytes, name: str) -> list[str]:
    """The names of the columns, each once.

    >>> header_of(b"age,city\\r\\n1,x\\r\\n", "table.csv")
    ['age', 'city']
    """
    names = content.split(b"\n", 1)[0].decode("utf-8-sig", "replace").removesuffix("\r").split(",")
    if len(set(names)) < len(names) or not all(names) or len(names) > MOST_COLUMNS:
        raise BadTable(
            f"{name}, line 1: got {len(names)} names of columns, some of them empty or twice, "
            f"expected 1 to {MOST_COLUMNS} distinct names."
        )
    return names


def texts_of(content: bytes, name: str) -> dict[str, Texts]:
    """Every cell as a text; raises `BadFiles` where lines have other numbers of cells than the header."""
    columns = tuple(Column(one, longest=LONGEST, empty=True) for one in header_of(content, name))
    read = read_file(_file(name, columns), io.BytesIO(content), name=name)
    return {one: np.array(["" if cell is None else cell for cell in column.texts()], dtype=object)
            for one, column in read.columns.items()}  # fmt: skip


def kind_of(cells: Iterable[str]) -> Kind:
    """Numbers where all cells are, except codes such as 007; else categories.

    >>> kind_of(["1", "-2"]), kind_of(["1", "2.5"]), kind_of(["007", "1"]), kind_of(["x", "1"])
    ('integer', 'number', 'category', 'category')
    """
    known = set(cells) - {""}
    if not known or any(cell.lstrip("-")[:1] == "0" and cell.lstrip("-")[1:2].isdigit() for cell in known):
        return "category"
    if all(INTEGER.fullmatch(cell) for cell in known):
        return "integer"
    return "number" if all(REAL.fullmatch(cell) for cell in known) else "category"


def schema_of(
    texts: Mapping[str, npt.NDArray[np.object_]],
    forced: Mapping[str, str],
    without: Collection[str],
    name: str,
) -> dict[str, Kind]:
    """The kind of every column but these; ``forced`` says of some whether they are numbers or categories."""
    schema: dict[str, Kind] = {}
    for column, cells in texts.items():
        if column in without:
            continue
        found = kind_of(cells)
        schema[column] = "category" if forced.get(column) == "category" else found
        if forced.get(column) == "number" and found == "category":
            schema[column] = "number"
        if schema[column] != "category" and "" in cells.tolist():
            line = cells.tolist().index("") + 2
            raise BadTable(
                f"{name}, line {line}, column {column}: got an empty cell, expected a number. Fill such "
                f"cells, drop the rows, or let kinds.csv call the column a category."
            )
    if not schema:
        raise BadTable(f"{name}: got no column besides {', '.join(without)}, expected at least one.")
    return schema


def typed(content: bytes, name: str, schema: Schema, order: Sequence[str] = ()) -> Columns:
    """A table as the schema says; raises `BadFiles` with all problems.

    ``order`` names all columns of the file where there are more than those of the schema; they are texts.
    """
    kinds: Mapping[str, Any] = {"integer": "int", "number": "real"}
    columns = []
    for one in order or schema:
        kind = schema.get(one)
        is_category = kind == "category"
        columns.append(Column(one, kinds.get(kind or "", "text"), longest=LONGEST, empty=is_category))
    read = read_file(_file(name, tuple(columns)), io.BytesIO(content), name=name)
    return {one: _values(column.texts(), schema.get(one, "category")) for one, column in read.columns.items()}


def _file(name: str, columns: tuple[Column, ...]) -> File:
    return File(name, "round", "organiser", columns=columns, header="required", max_bytes=1 << 28)


def _values(cells: Texts, kind: Kind) -> npt.NDArray[Any]:
    if kind == "category":
        return np.array(["" if cell is None else cell for cell in cells], dtype=object)
    return np.array(cells, dtype=np.int64 if kind == "integer" else float)
