"""Whether this process can do its work now: what a load balancer asks before it sends somebody here."""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.core.files.storage import storages
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from contest.storage import AtomicFileStorage

logger = logging.getLogger(__name__)

STORES = ("entries", "attacks", "vault")


def database() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return True


def migrations() -> bool:
    executor = MigrationExecutor(connection)
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())


def stores() -> bool:
    return all(store_answers(alias) for alias in STORES)


def store_answers(alias: str) -> bool:
    storage = storages[alias]
    if isinstance(storage, AtomicFileStorage):
        return storage.is_writable()
    storage.exists("ready")
    return True


def broker() -> bool:
    from config.celery import app

    with app.connection_for_write(connect_timeout=2) as bell:
        bell.connect()
    return True


CHECKS: dict[str, Callable[[], bool]] = {
    "database": database,
    "migrations": migrations,
    "stores": stores,
    "broker": broker,
}


def report() -> dict[str, bool]:
    """Every check and whether it holds. The reason of a failure goes into the log, never to the caller."""
    return {name: _holds(name, check) for name, check in CHECKS.items()}


def _holds(name: str, check: Callable[[], bool]) -> bool:
    try:
        return check()
    except Exception:  # Every driver has errors of its own; whatever it is, the answer is no.
        logger.warning("not ready: %s", name, exc_info=True)
    return False
