"""Write a backup: all rows of one instant, and every file that they name.

Files are named by their content and never changed or removed, so what the rows of that instant name can
be copied afterwards while the contest goes on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from django.apps import apps
from django.conf import settings
from django.db import connections
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Model

from contest.archive.file_stores import STORES, named_files
from contest.archive.rows import as_json
from contest.archive.zips import ArchiveWriter, line
from contest.files.db_snapshot import detached_snapshot
from contest.records import verify

KIND = "kakurenbo_backup"
CHUNK_ROWS = 500
PASSING = {"heartbeat"}
"""Tables about the processes of this moment, which mean nothing on another machine."""


def backed_up_models() -> list[type[Model]]:
    """Every model of the house. Sessions are left out: after a restore people log in again."""
    return [
        model
        for model in apps.get_app_config("contest").get_models()
        if model._meta.model_name not in PASSING
    ]


def write_backup(target: IO[bytes]) -> dict[str, Any]:
    """Write the zip; returns its manifest."""
    tables = {str(model._meta.model_name): model for model in backed_up_models()}
    with ArchiveWriter(target) as writer:
        with detached_snapshot() as alias:
            for name, model in tables.items():
                writer.add(f"rows/{name}.jsonl", _lines(model, alias))
            stored = named_files(alias)
            migrations = applied_migrations(alias)
        missing = set()
        for sha256, store in stored:
            # A contest that was imported names files that its teams have withheld.
            if not STORES[store].exists(sha256):
                missing.add(sha256)
            elif f"files/{sha256}" not in writer.files:
                writer.add_file(f"files/{sha256}", sha256, store)
        return writer.finish(
            {
                KIND: verify.FORMATS[-1],
                "tables": list(tables),
                "references": {},
                "file_columns": {},
                "withheld": sorted(missing),
                "migrations": migrations,
                "stored": stored,
                "versions": {"kakurenbo": settings.VERSION},
            }
        )


def applied_migrations(alias: str) -> list[str]:
    applied = MigrationRecorder(connections[alias]).applied_migrations()
    return sorted(f"{app}.{name}" for app, name in applied if app == "contest")


def _lines(model: type[Model], alias: str) -> Iterator[bytes]:
    rows = model._default_manager.using(alias).order_by("pk").iterator(chunk_size=CHUNK_ROWS)
    for number, row in enumerate(rows, start=1):
        values = {
            column.attname: as_json(getattr(row, column.attname)) for column in model._meta.concrete_fields
        }
        yield line({"id": number, "row": values}).encode("utf-8")
