"""A board as a file for spreadsheets and programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from contest.board.queries import BoardRow
from contest.files.spreadsheet import csv_text

FIELDS = (
    "rank", "team_name", "is_house", "entry_number", "total", "utility", "safety", "hits", "n_customers",
    "strongest_attack",
)  # fmt: skip


def board_dicts(rows: Sequence[BoardRow]) -> list[dict[str, Any]]:
    """The rows as plain data, one column per measure."""
    return [
        {name: getattr(row, name) for name in FIELDS}
        | {cell.name: cell.value for cell in row.measures}
        | {"received_at": row.received_at.isoformat()}
        for row in rows
    ]


def board_csv(rows: Sequence[BoardRow]) -> str:
    plain = board_dicts(rows)
    columns = list(dict.fromkeys(name for row in plain for name in row)) or list(FIELDS)
    return csv_text(columns, [[row.get(name) for name in columns] for row in plain])
