"""What the installation runs on: database, broker, workers, sweeper."""

from __future__ import annotations

from django.conf import settings
from django.db import connection
from django.utils.translation import gettext as _

from contest import schema
from contest.jobs.heartbeats import living
from contest.jobs.job_version import RELEASE
from contest.jobs.queues import QUEUES
from contest.models import Heartbeat
from contest.operations import readiness
from contest.operations.doctor.finding import Finding, failed, ok, warning


def database() -> Finding:
    mend = _("Look at KAKURENBO_DATABASE_URL and at the database's own log.")
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA quick_check(1)")
            verdict = cursor.fetchone()[0]
            if verdict != "ok":
                return failed(
                    _("The database file is damaged: %(verdict)s.") % {"verdict": verdict},
                    _("Restore the last backup."),
                )
            return ok(_("SQLite answers, and its file is intact."))
        cursor.execute("SHOW server_version")
        version = cursor.fetchone()[0]
        cursor.execute("SHOW fsync")
        if cursor.fetchone()[0] != "on":
            return warning(_("PostgreSQL runs without fsync: a power cut loses what was accepted."), mend)
    return ok(_("PostgreSQL %(version)s answers.") % {"version": version})


def migrations() -> Finding:
    if not schema.is_up_to_date():
        return failed(_("The database is older than this version."), "python manage.py prepare_database")
    return ok(_("The database matches this version."))


def broker() -> Finding:
    readiness.broker()
    return ok(_("The broker answers."))


def workers() -> Finding:
    found = living(Heartbeat.Kind.WORKER)
    if not found:
        return failed(
            _("No worker has sent a heartbeat: nothing is checked, scored or attacked."),
            _("Start workers: `python manage.py up`, or the units and services of docs/deployment.md."),
        )
    heard = {queue for worker in found for queue in worker.queues}
    deaf = sorted(set(QUEUES.values()) - heard)
    if deaf:
        return failed(
            _("Nobody works on the queue %(names)s.") % {"names": ", ".join(deaf)},
            _("Start a worker for it; contest/operations/processes.py lists the queues of each machine."),
        )
    old = [worker.name for worker in found if worker.release < RELEASE or worker.version != settings.VERSION]
    if old:
        return warning(
            _("Of another version: %(names)s.") % {"names": ", ".join(old)},
            _("Restart these workers with this version."),
        )
    return ok(_("%(n)s workers listen to all queues.") % {"n": len(found)})


def sweeper() -> Finding:
    found = living(Heartbeat.Kind.SWEEPER)
    if not found:
        return failed(
            _("No sweeper has sent a heartbeat: phases do not open, lost jobs do not come back."),
            _("Start exactly one: `python manage.py sweep`."),
        )
    if len(found) > 1:
        return warning(
            _("%(n)s sweepers run; one is enough.") % {"n": len(found)},
            _("Stop all but one. They do no harm."),
        )
    return ok(_("The sweeper is at work."))
