"""Tables as files for spreadsheets, in which no text is computed."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

Cell = str | int | float | None

_FORMULA = re.compile(r"""((?:^|[;\t\r\n|])[\s"]*)(?=[-=+@＝＋－＠])""")
"""Where a spreadsheet may begin to compute: at the beginning of a text and, because the reader's country
chooses the separator, after any character that may be one. Wide signs are those of East Asian keyboards."""


def safe_text(text: str) -> str:
    """A text that no spreadsheet computes: an apostrophe precedes anything that looks like a formula.

    >>> safe_text("=HYPERLINK(1)"), safe_text(" @SUM(A1)"), safe_text("Tanuki"), safe_text("a;=2+3")
    ("'=HYPERLINK(1)", " '@SUM(A1)", 'Tanuki', "a;'=2+3")
    """
    return _FORMULA.sub(r"\1'", text)


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """A table as CSV with a byte order mark, so that names in every script are read correctly."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    for row in (columns, *rows):
        writer.writerow([safe_text(cell) if isinstance(cell, str) else cell for cell in row])
    return "\ufeff" + out.getvalue()
