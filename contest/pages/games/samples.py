"""The first lines of a declared file, invented from its columns: what an upload looks like."""

from __future__ import annotations

import datetime

from datasets.tables import EPOCH
from games.contract.declaration import Column, File
from games.contract.files import spread

LINES = 2
MOST_COLUMNS = 8
"""A wider file is cut, as everything after it looks the same."""


def sample(file: File, targets: tuple[str, ...] = ()) -> str:
    """The header, where there is one, two lines and a sign that there are more.

    >>> columns = (Column("age", "int", (0, 120)), Column("sex", "choice", domain=("f", "m")))
    >>> print(sample(File("C.csv", "entry", "upload", columns=columns)))
    age,sex
    0,f
    1,m
    …
    """
    if not file.columns:
        return ""
    columns = spread(file.columns, targets)
    shown, cut = columns[:MOST_COLUMNS], len(columns) > MOST_COLUMNS
    lines = [[name for _column, name in shown]] if file.header != "none" else []
    lines += [[_cell(column, line) for column, _name in shown] for line in range(LINES)]
    text = [",".join([*cells, "…"] if cut else cells) for cells in lines]
    return "\n".join([*text, *(() if file.rows == LINES else ("…",))])


def _cell(column: Column, line: int) -> str:
    if isinstance(column.domain, str):
        return "…"
    if column.domain:
        return column.domain[line % len(column.domain)]
    if column.kind == "date":
        first = int(column.span[0]) if column.span else 0
        return (EPOCH + datetime.timedelta(days=first + line)).isoformat()
    if column.kind == "text":
        return "abc"[line : line + 1] or "a"
    low, high = column.span or (0.0, 100.0)
    if column.kind == "int":
        return str(int(min(high, low + line)))
    value = low + (high - low) * (0.25, 0.75)[line % 2]
    return f"{value:.{min(2, column.decimals if column.decimals is not None else 2)}f}"
