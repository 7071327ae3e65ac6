"""What the installation runs on: database, broker, workers, sweeper."""

from __future__ import annotations

from django.conf import settings
from django.db import connection

from contest import readiness
from contest.doctor.finding import Finding, failed, ok, warning
from contest.models import Heartbeat
from contest.release import RELEASE
from contest.services.heartbeats import living
from contest.services.jobs import TASKS


def database() -> Finding:
    mend = "Look at KAKURENBO_DATABASE_URL and at the database's own log."
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA quick_check(1)")
            verdict = cursor.fetchone()[0]
            if verdict != "ok":
                return failed(f"The database file is damaged: {verdict}.", "Restore the last backup.")
            return ok("SQLite answers, and its file is sound.")
        cursor.execute("SHOW server_version")
        version = cursor.fetchone()[0]
        cursor.execute("SHOW fsync")
        if cursor.fetchone()[0] != "on":
            return warning("PostgreSQL runs without fsync: a power cut loses what was accepted.", mend)
    return ok(f"PostgreSQL {version} answers.")


def migrations() -> Finding:
    if not readiness.migrations():
        return failed("The database is older than this version.", "python manage.py prepare_database")
    return ok("The database fits this version.")


def broker() -> Finding:
    readiness.broker()
    return ok("The broker answers.")


def workers() -> Finding:
    found = living(Heartbeat.Kind.WORKER)
    if not found:
        return failed(
            "No worker has given a sign of life: nothing is checked, scored or attacked.",
            "Start workers: `python manage.py up`, or the units and services of docs/deployment.md.",
        )
    heard = {queue for worker in found for queue in worker.queues}
    deaf = sorted({queue for _, queue in TASKS.values()} - heard)
    if deaf:
        return failed(
            f"Nobody works on the queue {', '.join(deaf)}.",
            "Start a worker that listens to it; contest/processes.py names the queues by machine.",
        )
    old = [worker.name for worker in found if worker.release < RELEASE or worker.version != settings.VERSION]
    if old:
        return warning(f"Of another version: {', '.join(old)}.", "Restart these workers with this version.")
    return ok(f"{len(found)} workers listen to all queues.")


def sweeper() -> Finding:
    found = living(Heartbeat.Kind.SWEEPER)
    if not found:
        return failed(
            "No sweeper has given a sign of life: phases do not open, lost jobs do not come back.",
            "Start exactly one: `python manage.py sweep`.",
        )
    if len(found) > 1:
        return warning(f"{len(found)} sweepers run; one is enough.", "Stop all but one. They do no harm.")
    return ok("The sweeper is at work.")
