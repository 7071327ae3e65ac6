"""The PostgreSQL role of attack machines: it sees the work and the public side of entries, and no more.

What it may not read: accounts, sessions, tokens, memberships, invitations, commitments, scores; orders,
which hold seeds; sealed files, and so the names of truths in the vault; the names of uploads; whom an attack
has found, and the evidence of it; seats; the boards that a game has counted; the zips of games.
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
    GamePackage,
    Heartbeat,
    Job,
    Phase,
    Round,
    Team,
)

ROLE = "kakurenbo_attacks"
READABLE: tuple[type[models.Model], ...] = (
    Contest, GamePackage, Round, Phase, Dataset, Team, Attack, AttackRun, Entry, Job, AuditEvent, Heartbeat,
)  # fmt: skip
HIDDEN: dict[type[models.Model], set[str]] = {
    Entry: {"upload_sha256"},
    AttackRun: {"found_rows", "evidence_sha256"},
    # Of an uploaded game they need to know its declaration alone; its zip may hold secrets.
    GamePackage: {"zip_sha256", "findings", "log", "uploaded_by"},
}
WRITABLE: dict[type[models.Model], tuple[str, ...]] = {
    Job: (
        "state", "attempts", "token", "lease_until", "worker", "progress", "step", "reason", "error",
        "rung_at", "started_at", "finished_at",
    ),
    AttackRun: ("state", "answer_sha256", "log", "seconds", "reason", "finished_at"),
    Entry: ("risk", "numbers", "strongest_attack", "made_sha256", "program_reason", "program_log"),
    Round: ("board_version", "full_version"),
    Heartbeat: ("kind", "queues", "slots", "version", "release", "counted_by", "started_at", "beat_at"),
}  # fmt: skip
ADDABLE: tuple[type[models.Model], ...] = (Job, AuditEvent, Heartbeat)
ROWS: dict[type[models.Model], dict[str, str]] = {
    Job: {
        "INSERT": "state = 'queued' AND payload = '{}' AND house_order_id IS NULL AND round_id IS NULL"
        " AND game_id IS NULL AND attack_id IS NULL"
        " AND ((kind = 'judge' AND attack_run_id IS NOT NULL) OR (kind = 'check' AND entry_id IS NOT NULL))",
        "UPDATE": "kind IN ('attack', 'program', 'hide')",
    },
    AuditEvent: {
        "INSERT": "verb IN ('attack_run.refused', 'attack_run.failed') AND actor_id IS NULL"
        " AND actor_name = '' AND number IS NULL",
    },
}
"""Of these tables it may add or change only such rows: it can send no e-mail and forge nobody's action."""


def grant_attack_role(name: str, password: str) -> None:
    """Create the role if there is none, and set its rights to exactly these, in one transaction."""
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
    for model, rules in ROWS.items():
        yield from _policies(model, rules, role)


def _policies(
    model: type[models.Model], rules: dict[str, str], role: sql.Identifier
) -> Iterator[sql.Composable]:
    """Everybody may do what their rights allow; only the role is also bound by the rules."""
    table = _table(model)
    yield sql.SQL("ALTER TABLE {} ENABLE ROW LEVEL SECURITY").format(table)
    yield sql.SQL("DROP POLICY IF EXISTS everybody ON {}").format(table)
    yield sql.SQL("CREATE POLICY everybody ON {} USING (true) WITH CHECK (true)").format(table)
    for act, rule in rules.items():
        name = sql.Identifier(f"attack_machines_{act.lower()}")
        clause = "WITH CHECK" if act == "INSERT" else "USING"
        yield sql.SQL("DROP POLICY IF EXISTS {} ON {}").format(name, table)
        yield sql.SQL("CREATE POLICY {} ON {} AS RESTRICTIVE FOR {} TO {} {} ({})").format(
            name, table, sql.SQL(act), role, sql.SQL(clause), sql.SQL(rule)
        )


def _grant(right: str, model: type[models.Model], names: set[str], role: sql.Identifier) -> sql.Composable:
    fields = [field for field in model._meta.concrete_fields if field.name in names]
    listed = sql.SQL(", ").join(sql.Identifier(field.column or field.name) for field in fields)
    return sql.SQL("GRANT {} ({}) ON {} TO {}").format(sql.SQL(right), listed, _table(model), role)


def _table(model: type[models.Model]) -> sql.Identifier:
    return sql.Identifier(model._meta.db_table)
