"""The PostgreSQL role of attack machines: it sees the work and the public side of entries, and no more.

What it may not read: accounts, sessions, tokens, memberships, invitations, commitments, scores; the names of
uploads and truths in the vault; whom an attack has found.
"""

from __future__ import annotations

from collections.abc import Iterator

from django.db import connection, models, transaction
from psycopg import sql

from contest.models import (
    Attack,
    AttackRun,
    AuditEvent,
    Contest,
    Dataset,
    Entry,
    Heartbeat,
    Job,
    Round,
    Team,
)

ROLE = "kakurenbo_attacks"
READABLE: tuple[type[models.Model], ...] = (
    Contest, Round, Dataset, Team, Attack, AttackRun, Entry, Job, AuditEvent, Heartbeat,
)  # fmt: skip
HIDDEN: dict[type[models.Model], set[str]] = {
    Entry: {"truth_sha256", "upload_sha256"},
    AttackRun: {"found_customers"},
}
WRITABLE: dict[type[models.Model], tuple[str, ...]] = {
    Job: (
        "state", "attempts", "token", "lease_until", "worker", "progress", "step", "reason", "error",
        "rung_at", "started_at", "finished_at",
    ),
    AttackRun: ("state", "guess_sha256", "log", "seconds", "reason", "finished_at"),
    Entry: ("most_hits", "risk", "guesses", "strongest_attack"),
    Round: ("board_version",),
    Heartbeat: ("kind", "queues", "version", "release", "counted_by", "started_at", "beat_at"),
}  # fmt: skip
ADDABLE: tuple[type[models.Model], ...] = (Job, AuditEvent, Heartbeat)


def grant_attack_role(name: str, password: str) -> None:
    """Make the role if there is none, and set its rights to exactly these, in one transaction."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [name])
        verb = "ALTER" if cursor.fetchone() else "CREATE"
        for statement in _statements(verb, sql.Identifier(name), password):
            cursor.execute(statement)


def _statements(verb: str, role: sql.Identifier, password: str) -> Iterator[sql.Composable]:
    yield sql.SQL("{} ROLE {} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD {}").format(
        sql.SQL(verb), role, sql.Literal(password)
    )
    yield sql.SQL("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {}").format(role)
    yield sql.SQL("REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM {}").format(role)
    yield sql.SQL("GRANT USAGE ON SCHEMA public TO {}").format(role)
    for model in READABLE:
        shown = {field.name for field in model._meta.concrete_fields} - HIDDEN.get(model, set())
        yield _grant("SELECT", model, shown, role)
    for model, written in WRITABLE.items():
        yield _grant("UPDATE", model, set(written), role)
    for model in ADDABLE:
        yield sql.SQL("GRANT INSERT ON {} TO {}").format(_table(model), role)
        yield sql.SQL("GRANT USAGE ON SEQUENCE {} TO {}").format(
            sql.Identifier(f"{model._meta.db_table}_id_seq"), role
        )


def _grant(right: str, model: type[models.Model], names: set[str], role: sql.Identifier) -> sql.Composable:
    fields = [field for field in model._meta.concrete_fields if field.name in names]
    listed = sql.SQL(", ").join(sql.Identifier(field.column or field.name) for field in fields)
    return sql.SQL("GRANT {} ({}) ON {} TO {}").format(sql.SQL(right), listed, _table(model), role)


def _table(model: type[models.Model]) -> sql.Identifier:
    return sql.Identifier(model._meta.db_table)
