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


TRACK_FIELDS = ("track", "track_place")


def board_dicts(rows: Sequence[BoardRow], tracked: bool = False) -> list[dict[str, Any]]:
    """The rows as plain data, one column per measure; with tracks where their contest has some."""
    return [
        {column: getattr(row, name) for column, name in FIELDS.items()}
        | {name: getattr(row, name) for name in TRACK_FIELDS if tracked}
        | {cell.name: cell.value for cell in row.measures}
        | {"received_at": row.received_at.isoformat()}
        for row in rows
    ]


def board_csv(rows: Sequence[BoardRow], tracked: bool = False) -> str:
    plain = board_dicts(rows, tracked)
    columns = list(dict.fromkeys(name for row in plain for name in row)) or list(FIELDS)
    return csv_text(columns, [[row.get(name) for name in columns] for row in plain])
