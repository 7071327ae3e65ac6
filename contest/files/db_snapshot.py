"""One look at the whole database: everything that is read inside belongs to the same instant."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, connections, transaction

ALIAS = "snapshot"


@contextmanager
def snapshot() -> Iterator[None]:
    """A transaction that sees one state. SQLite's sees nothing else; PostgreSQL is asked for it."""
    outermost = not connection.in_atomic_block
    with transaction.atomic():
        if outermost and connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


@contextmanager
def detached_snapshot() -> Iterator[str]:
    """A connection of its own that sees one state of the database and blocks no writer.

    Yields the name to give to ``using``. What the caller's transaction has not committed is not in it.
    """
    other = connection.copy(ALIAS)
    other.settings_dict = copy.deepcopy(other.settings_dict)
    if other.vendor == "sqlite":
        # The house's connections take the write lock at once; a reader of the write-ahead log needs none.
        other.settings_dict["OPTIONS"]["transaction_mode"] = "DEFERRED"
    connections[ALIAS] = other
    try:
        with transaction.atomic(using=ALIAS):
            if other.vendor == "postgresql":
                with other.cursor() as cursor:
                    cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield ALIAS
    finally:
        other.close()
        del connections[ALIAS]
