"""A board as a file for spreadsheets and programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from contest.queries import BoardRow

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What makes a spreadsheet take a text for a formula, the wide forms of East Asian keyboards included."""
FIELDS = (
    "rank", "team_name", "is_house", "entry_number", "total", "utility", "safety", "hits", "n_customers",
    "strongest_attack",
)  # fmt: skip


def safe_text(text: str) -> str:
    """A text that no spreadsheet computes: one that looks like a formula gets an apostrophe before it.

    >>> safe_text("=HYPERLINK(1)"), safe_text(" @SUM(A1)"), safe_text("Tanuki"), safe_text("-2+3")
    ("'=HYPERLINK(1)", "' @SUM(A1)", 'Tanuki', "'-2+3")
    """
    return f"'{text}" if text.lstrip(" ").startswith(FORMULA) else text


def board_dicts(rows: Sequence[BoardRow]) -> list[dict[str, Any]]:
    """The rows as plain data, one column a measure."""
    return [
        {name: getattr(row, name) for name in FIELDS}
        | {cell.name: cell.value for cell in row.measures}
        | {"received_at": row.received_at.isoformat()}
        for row in rows
    ]


def board_csv(rows: Sequence[BoardRow]) -> str:
    """The board as CSV with a byte order mark, so that names in every script open right."""
    plain = board_dicts(rows)
    columns = list(dict.fromkeys(name for row in plain for name in row)) or list(FIELDS)
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\r\n", restval="")
    writer.writeheader()
    for row in plain:
        writer.writerow(
            {name: safe_text(value) if isinstance(value, str) else value for name, value in row.items()}
        )
    return "\ufeff" + out.getvalue()
