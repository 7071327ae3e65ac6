"""Migrations beside processes that are at work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.core.management import call_command
from django.db import OperationalError

ATTEMPTS = 20
DEADLOCK = "40P01"
"""PostgreSQL's code: of two transactions that wait for each other, it ends one."""


def migrate(*targets: str, verbosity: int = 0) -> None:
    """Bring the tables to this version, or to a named migration."""
    retry_deadlocks(lambda: call_command("migrate", *targets, interactive=False, verbosity=verbosity))


def retry_deadlocks(change: Callable[[], Any]) -> None:
    """Make a change of tables that rolls back whole, again for as long as working processes cross it.

    A migration locks its tables one after another, and a worker may hold the second while it waits for
    the first. Migrations that were applied before stay applied.
    """
    for attempt in range(1, ATTEMPTS + 1):
        try:
            change()
        except OperationalError as error:
            if attempt == ATTEMPTS or getattr(error.__cause__, "sqlstate", None) != DEADLOCK:
                raise
        else:
            return
