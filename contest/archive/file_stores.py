"""The three stores by name, whole: for archives, backups and checks of an installation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import IO

from contest.archive.tables import TABLES
from contest.files import vault
from contest.files.storage import Stored, published, submitted
from contest.models import Dataset


@dataclass(frozen=True)
class Store:
    open: Callable[[str], IO[bytes]]
    exists: Callable[[str], bool]
    is_intact: Callable[[str], bool]
    put: Callable[[IO[bytes]], Stored]


STORES = {
    "entries": Store(published.open, published.exists, published.is_intact, published.put),
    "attacks": Store(submitted.open, submitted.exists, submitted.is_intact, submitted.put),
    "vault": Store(vault.open_for_archive, vault.exists, vault.is_intact, vault.keep_archived),
}


def named_files(alias: str = "default") -> list[tuple[str, str]]:
    """Every file that a row of the database names: its hash and its store. The same bytes may be in two."""
    found: set[tuple[str, str]] = set()
    for table in TABLES:
        rows = table.model._default_manager.using(alias)
        for column, store in table.files.items():
            named = rows.exclude(**{column: ""}).order_by().values_list(column, flat=True).distinct()
            found |= {(sha256, store) for sha256 in named}
        for column, store in table.maps.items():
            for named in rows.order_by().values_list(column, flat=True).iterator():
                found |= {(sha256, store) for sha256 in named.values()}
    for source in Dataset.objects.using(alias).values_list("source", flat=True):
        found |= {(sha256, "entries") for sha256 in source.get("stored", {}).values()}
    return sorted(found)
