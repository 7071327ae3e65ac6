"""A board as a file for spreadsheets and programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from contest.board.queries import BoardRow
from contest.files.spreadsheet import csv_text
from games.formats.older_columns import PEOPLE

SAME = ("rank", "team_name", "is_house", "entry_number", "total", "utility", "safety", "hits")
FIELDS = {**{name: name for name in SAME}, PEOPLE: "n_people", "strongest_attack": "strongest_attack"}
"""The columns of the file, which are those of version 0.1, and where a row has them."""


def board_dicts(rows: Sequence[BoardRow]) -> list[dict[str, Any]]:
    """The rows as plain data, one column per measure."""
    return [
        {column: getattr(row, name) for column, name in FIELDS.items()}
        | {cell.name: cell.value for cell in row.measures}
        | {"received_at": row.received_at.isoformat()}
        for row in rows
    ]


def board_csv(rows: Sequence[BoardRow]) -> str:
    plain = board_dicts(rows)
    columns = list(dict.fromkeys(name for row in plain for name in row)) or list(FIELDS)
    return csv_text(columns, [[row.get(name) for name in columns] for row in plain])
