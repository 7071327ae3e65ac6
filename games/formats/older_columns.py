"""What rows of version 0.1 called the files and counts of a format."""

from __future__ import annotations

from games.shop.formats.older_columns import (
    DATASET_COLUMNS,
    FOUND,
    PEOPLE,
    listed_facts,
    master_and_transactions,
    named_files,
)

__all__ = [
    "DATASET_COLUMNS",
    "FOUND",
    "PEOPLE",
    "listed_facts",
    "master_and_transactions",
    "named_files",
]
