"""Declared files as columns of numbers and texts, for the code of games."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from datasets.tokens import BYTE_ORDER_MARK
from games.contract.declaration import Column, Declaration, File, Scope
from games.contract.files import read_file, spread
from games.contract.values import Box, Out

Columns = Mapping[str, npt.NDArray[Any]]


def read_columns(declaration: Declaration, box: Box, name: str, scope: Scope | None = None) -> Columns:
    """The columns of a file by name: whole numbers, numbers (an empty cell is NaN), texts (empty is "").

    A box remembers what it has read, so asking again costs nothing. Columns that are repeated once per target
    are those that the header has: the file was checked against the targets before.
    """
    file = declaration.file(name, scope)
    if file is None:
        raise KeyError(f"{declaration.name} declares no file {name!r}.")
    return box.load(name, _reader(file, name))


@cache
def _reader(file: File, name: str) -> Callable[[BinaryIO], Columns]:
    alone = replace(file, rows=None, columns=tuple(map(_without_reference, file.columns)))

    def read(source: BinaryIO) -> Columns:
        content = source.read()
        header = content.removeprefix(BYTE_ORDER_MARK).split(b"\n", 1)[0].decode("utf-8", "replace")
        targets = _targets_in(header, file)
        kinds = {column_name: column.kind for column, column_name in spread(file.columns, targets)}
        table = read_file(alone, io.BytesIO(content), targets=targets, name=name)
        return {column: _values(cells.texts(), kinds[column]) for column, cells in table.columns.items()}

    return read


def _targets_in(header: str, file: File) -> tuple[str, ...]:
    """The targets that the header of a wide answer names, in its order."""
    patterns = [
        re.compile(re.escape(column.name).replace(r"\{target\}", "(.+)"))
        for column in file.columns
        if column.per_target
    ]
    fixed = {column.name for column in file.columns if not column.per_target}
    names = [name for name in header.removesuffix("\r").split(",") if name not in fixed]
    found = (pattern.fullmatch(name) for pattern in patterns[:1] for name in names)
    return tuple(match[1] for match in found if match)


def _without_reference(column: Column) -> Column:
    """A file that was checked once is not compared with others again."""
    return replace(column, domain=()) if isinstance(column.domain, str) else column


def _values(cells: npt.NDArray[np.object_], kind: str) -> npt.NDArray[Any]:
    if kind in ("text", "choice"):
        return np.array(["" if cell is None else cell for cell in cells], dtype=object)
    if any(cell is None or isinstance(cell, float) for cell in cells):
        return np.array([np.nan if cell is None else cell for cell in cells], dtype=float)
    return np.array(cells, dtype=np.int64 if len(cells) else float)


def write_table(out: Out, name: str, columns: Mapping[str, Iterable[Any]], header: bool = True) -> None:
    """Write columns as a file; every number in the shortest form that reads back as the same."""
    with out.create(name) as file:
        if header:
            file.write((",".join(columns) + "\n").encode())
        for row in zip(*columns.values(), strict=True):
            file.write((",".join(map(_cell, row)) + "\n").encode())


def _cell(value: Any) -> str:
    if isinstance(value, bool | np.bool_ | int | np.integer):
        return str(int(value))
    if isinstance(value, float | np.floating):
        return "" if np.isnan(value) else repr(float(value))
    return str(value)
