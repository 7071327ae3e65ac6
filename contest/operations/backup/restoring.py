"""Bring an installation back from its backup: into an empty one, all of it or nothing."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.color import no_style
from django.db import IntegrityError, connection, transaction
from django.db.models import JSONField, Model

from contest.archive.file_stores import STORES
from contest.errors import Refused
from contest.operations.backup.writing import KIND, applied_migrations, backed_up_models
from contest.records.verify import Archive, BadArchive


def restore_backup(path: Path) -> dict[str, int]:
    """Verify the backup, then write its rows and files; returns the number of rows by table."""
    try:
        with Archive(path, KIND) as backup:
            _require_same_shape(backup)
            _require_empty()
            backup.verify_files()
            with transaction.atomic():
                counts = {
                    str(model._meta.model_name): _write_table(model, backup) for model in backed_up_models()
                }
                _keep_files(backup)
            _reset_sequences()
    except BadArchive as error:
        raise Refused("bad-backup", str(error)) from None
    except IntegrityError as error:
        raise Refused("bad-backup", f"The rows contradict each other: {error}") from None
    return counts


def _require_same_shape(backup: Archive) -> None:
    here, there = applied_migrations("default"), backup.manifest.get("migrations")
    if here != there:
        version = backup.manifest.get("versions", {}).get("kakurenbo")
        raise Refused(
            "other-version",
            f"The backup was written by Kakurenbo {version} with other migrations than this database has. "
            "Install that version, run `python manage.py migrate`, restore, and upgrade afterwards.",
        )
    expected = sorted(str(model._meta.model_name) for model in backed_up_models())
    if sorted(backup.manifest["tables"]) != expected:
        raise BadArchive("manifest.json: expected the tables of this version.")


def _require_empty() -> None:
    for model in backed_up_models():
        if model._default_manager.exists():
            raise Refused(
                "not-empty",
                f"This installation is not empty: there are rows of {model._meta.model_name}. A backup is "
                "restored into a new database only.",
            )


def _write_table(model: type[Model], backup: Archive) -> int:
    rows = backup.rows(str(model._meta.model_name))
    for row in rows:
        # Raw: primary keys and times stay as they were. References are checked when all rows are there.
        _made(model, row).save_base(raw=True, force_insert=True)
    return len(rows)


def _made(model: type[Model], row: dict[str, Any]) -> Model:
    where = f"rows/{model._meta.model_name}.jsonl, row {row['id']}"
    values = row.get("row")
    columns = {column.attname: column for column in model._meta.concrete_fields}
    if not isinstance(values, dict) or set(values) != set(columns):
        raise BadArchive(f"{where}: expected the columns {', '.join(sorted(columns))}.")
    made = model()
    for name, column in columns.items():
        try:
            known = isinstance(column, JSONField) or values[name] is None
            setattr(made, name, values[name] if known else column.to_python(values[name]))
        except (ValidationError, TypeError, ValueError) as error:
            raise BadArchive(f"{where}, column {name}: {error}") from None
    return made


def _keep_files(backup: Archive) -> None:
    withheld = set(backup.manifest["withheld"])
    for pair in backup.manifest.get("stored", []):
        sha256, store = pair
        name = f"files/{sha256}"
        if store not in STORES or (name not in backup.files and sha256 not in withheld):
            raise BadArchive(f"{name}: expected in the backup, for the store {store!r}.")
        if name in backup.files:
            STORES[store].put(io.BytesIO(b"".join(backup.chunks(name))))


def _reset_sequences() -> None:
    """PostgreSQL continues counting from the rows that were written with their old numbers."""
    statements = connection.ops.sequence_reset_sql(no_style(), backed_up_models())
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
