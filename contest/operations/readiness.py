"""Whether this process can do its work now: what a load balancer asks before it sends somebody here."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path

from celery import current_app
from django.conf import settings
from django.core.files.storage import storages
from django.db import connection

from contest import schema
from contest.files.storage import AtomicFileStorage

logger = logging.getLogger(__name__)

STORES = ("entries", "attacks", "vault")


class NotReady(Exception):
    """A check failed; the text may be shown to every caller."""


def database() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return True


def stores() -> bool:
    return all(store_answers(alias) for alias in STORES)


def store_answers(alias: str) -> bool:
    storage = storages[alias]
    if isinstance(storage, AtomicFileStorage):
        return storage.is_writable()
    storage.exists("ready")
    return True


def disk() -> bool:
    """Whether every store on a disk has room. A full disk looks writable: an empty file still fits."""
    disks = [(alias, storages[alias]) for alias in STORES]
    found = {
        alias: os.statvfs(_existing(Path(storage.location)))
        for alias, storage in disks
        if isinstance(storage, AtomicFileStorage)
    }
    least = settings.DISK_MIN_FREE_BYTES
    full = [alias for alias, facts in found.items() if facts.f_bavail * facts.f_frsize < least]
    if full:
        raise NotReady(f"less than {least // 1024**2} MB free for {', '.join(sorted(full))}")
    # Some file systems make room for new files as they need it, and say that they have none at all.
    full = [alias for alias, facts in found.items() if facts.f_files and not facts.f_favail]
    if full:
        raise NotReady(f"no file can be added for {', '.join(sorted(full))}")
    return True


def _existing(folder: Path) -> Path:
    return next(part for part in (folder, *folder.parents) if part.exists())


def broker() -> bool:
    with current_app.connection_for_write(connect_timeout=2) as broker:
        broker.connect()
    return True


CHECKS: dict[str, Callable[[], bool]] = {
    "database": database,
    "migrations": schema.is_up_to_date,
    "stores": stores,
    "disk": disk,
    "broker": broker,
}


OK, FAILED = "ok", "FAILED"


def report() -> dict[str, str]:
    """The result of every check. The text of an error goes into the log, never to the caller."""
    return {name: state(name) for name in CHECKS}


def state(name: str) -> str:
    try:
        return OK if CHECKS[name]() else FAILED
    except NotReady as error:
        logger.warning("not ready: %s: %s", name, error)
        return f"{FAILED}: {error}"
    except Exception:  # Every driver has errors of its own; whatever it is, the answer is no.
        logger.warning("not ready: %s", name, exc_info=True)
        return FAILED
