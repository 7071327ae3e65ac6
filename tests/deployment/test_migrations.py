"""The rules that let an old and a new version share one database for a while (docs/deployment.md)."""

from __future__ import annotations

from collections.abc import Iterator

from django.db import connection, models
from django.db.migrations import operations as acts
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.models import NOT_PROVIDED

from tests.conftest import ROOT

TAKING_AWAY = (acts.DeleteModel, acts.RemoveField, acts.RenameField, acts.RenameModel, acts.AlterModelTable)
INSIDE_ONE_VERSION = {
    "0001_initial",
    "0002_job_release",
    "0003_audit_chain_and_archive",
    "0004_organising",
    "0005_formats",
    "0006_accounts",
}
"""Migrations between which no version was ever given to anybody."""
WITH_A_STOP = {
    "0025_shop_columns_go": "its columns became others; code that writes the old ones would be lost work"
}
"""Migrations before which the processes of the older version are stopped, and why (docs/deployment.md)."""


def breaks_old_code(operation: Operation) -> str:
    """Why a running older version would fail after this operation; empty where it would not."""
    if isinstance(operation, TAKING_AWAY):
        return f"{type(operation).__name__} takes away what older code uses"
    if isinstance(operation, acts.AddField):
        field = operation.field
        optional = field.null or field.many_to_many or field.db_default is not NOT_PROVIDED
        if not optional:
            return f"{operation.model_name}.{operation.name} is neither null nor has a db_default"
    return ""


def ours() -> Iterator[tuple[str, Operation]]:
    loader = MigrationLoader(None)
    for (app, name), migration in sorted(loader.disk_migrations.items()):
        if app == "contest" and name not in INSIDE_ONE_VERSION | set(WITH_A_STOP):
            # Of a table that is new here older code knows nothing.
            new = {made.name.lower() for made in migration.operations if isinstance(made, acts.CreateModel)}
            for operation in migration.operations:
                if not (isinstance(operation, acts.AddField) and operation.model_name.lower() in new):
                    yield name, operation


def test_migrations_take_nothing_away_that_older_code_uses() -> None:
    broken = [f"{name}: {reason}" for name, operation in ours() if (reason := breaks_old_code(operation))]
    assert broken == []


def test_a_migration_with_a_stop_is_one_that_breaks_old_code_and_the_document_names_it() -> None:
    text = (ROOT / "docs" / "deployment.md").read_text(encoding="utf-8")
    migrations = MigrationLoader(None).disk_migrations
    for name in WITH_A_STOP:
        assert any(map(breaks_old_code, migrations["contest", name].operations)), name
        assert f"`{name[:4]}`" in text


def test_the_rule_finds_what_would_break() -> None:
    text = models.CharField(max_length=5, default="")
    assert breaks_old_code(acts.AddField("job", "x", text))
    assert not breaks_old_code(acts.AddField("job", "x", models.CharField(max_length=5, db_default="")))
    assert not breaks_old_code(acts.AddField("job", "x", models.IntegerField(null=True)))
    assert breaks_old_code(acts.RemoveField("job", "reason"))
    assert breaks_old_code(acts.RenameField("job", "reason", "why"))


def test_migrations_stand_in_one_line() -> None:
    loader = MigrationLoader(connection=None)
    assert len(loader.graph.leaf_nodes("contest")) == 1


def test_old_code_can_still_write_a_job(transactional_db: None) -> None:
    """What a version before `release` would send, on the database of this one."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO contest_job (kind, payload, state, attempts, token, worker, progress, step, reason,"
            " error, created_at, rung_at) VALUES ('house', '{}', 'queued', 0, '', '', 0, '', '', '',"
            " CURRENT_TIMESTAMP, CURRENT_TIMESTAMP)"
        )
        cursor.execute("SELECT release FROM contest_job")
        assert cursor.fetchone() == (1,)
