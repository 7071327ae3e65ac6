"""What this machine gives: settings, stores, disk, clock, sandbox."""

from __future__ import annotations

import datetime
import itertools
import os
import shutil
import stat
from pathlib import Path

from django.conf import settings
from django.core.files.storage import FileSystemStorage, storages
from django.db import connection
from django.utils import timezone
from django.utils.translation import gettext as _

from attacks.sandbox import counted_by, examine
from contest.jobs.heartbeats import living
from contest.jobs.queues import QUEUES
from contest.models import AuditEvent, Heartbeat, Job
from contest.operations import readiness
from contest.operations.doctor.finding import Finding, failed, ok, warning
from contest.operations.private_files import open_to_others

LOW_SHARE, LOW_BYTES = 0.05, 1024**3
CLOCK_SECONDS = 5.0
SHOWN = 3
PROGRAMS = QUEUES[Job.Kind.PROGRAM]


def secret_key() -> Finding:
    if len(settings.SECRET_KEY) < 32:
        return failed(
            _("The secret key is shorter than 32 characters: sessions can be forged."),
            _("Set KAKURENBO_SECRET_KEY to a long random text, such as `openssl rand -base64 48` prints."),
        )
    path = settings.VAR / "secret_key"
    if path.exists() and stat.S_IMODE(path.stat().st_mode) & 0o077:
        return failed(_("Others on this machine can read the file of the secret key."), f"chmod 600 {path}")
    if not settings.PRODUCTION:
        return ok(_("The secret key is long and private. (This is not a production installation.)"))
    return ok(_("The secret key is long and private."))


def stores() -> Finding:
    broken = [alias for alias in readiness.STORES if not _answers(alias)]
    if broken:
        return failed(
            _("Files cannot be written to the store %(names)s.") % {"names": ", ".join(broken)},
            _(
                "Look at the rights and the free space of its folder, or at its service; "
                "see docs/deployment.md."
            ),
        )
    return ok(_("All three stores can be written to."))


def _answers(alias: str) -> bool:
    try:
        return readiness.store_answers(alias)
    except Exception:  # noqa: BLE001  # every storage service has errors of its own
        return False


def vault_permissions() -> Finding:
    vault, entries = (storages[alias] for alias in ("vault", "entries"))
    if not isinstance(vault, FileSystemStorage) or not isinstance(entries, FileSystemStorage):
        return ok(_("The vault is not a folder on this machine; its service protects it."))
    folder = Path(vault.location)
    if not folder.exists():
        return ok(_("The vault is still empty."))
    if stat.S_IMODE(folder.stat().st_mode) & 0o077:
        return failed(_("Others on this machine can look into the vault."), f"chmod 700 {folder}")
    if Path(entries.location).resolve() in folder.resolve().parents or folder == Path(entries.location):
        return failed(
            _("The vault is inside a public store."),
            _("Set KAKURENBO_VAULT_LOCATION to a folder of its own."),
        )
    if folder.stat().st_uid != os.geteuid():
        return warning(
            _("The vault belongs to another user than this one."), f"chown {os.geteuid()} {folder}"
        )
    return ok(_("Only the platform can look into the vault."))


def file_modes() -> Finding:
    """Database, e-mails, stores, logs and backups are for the platform's own user alone."""
    found = [
        f"{path} ({mode:04o}, expected {expected:04o})"
        for path, mode, expected in itertools.islice(open_to_others(), SHOWN + 1)
    ]
    if found:
        names = ", ".join(found[:SHOWN]) + (" …" if len(found) > SHOWN else "")
        return failed(
            _("Others on this machine can get at files of the platform: %(names)s.") % {"names": names},
            f"chmod -R go= {settings.VAR}",
        )
    return ok(_("Nobody else on this machine can get at the platform’s files."))


def disk() -> Finding:
    low = []
    for folder in sorted({settings.VAR, *(Path(location) for location in _folders())}):
        there = next(part for part in (folder, *folder.parents) if part.exists())
        usage = shutil.disk_usage(there)
        if usage.free < LOW_BYTES or usage.free / usage.total < LOW_SHARE:
            low.append(f"{folder}: {usage.free / 1024**3:.1f} / {usage.total / 1024**3:.1f} GiB")
    if low:
        return failed(
            _("The disk is nearly full. Free: %(where)s.") % {"where": "; ".join(low)},
            _("Make room, or move the data to a larger disk."),
        )
    free = shutil.disk_usage(settings.VAR if settings.VAR.exists() else settings.BASE_DIR).free
    text = _("The data is kept in %(folder)s; %(n)s GiB are free there.")
    return ok(text % {"folder": settings.VAR, "n": f"{free / 1024**3:.1f}"})


def _folders() -> list[str]:
    found = (storages[alias] for alias in readiness.STORES)
    return [str(storage.location) for storage in found if isinstance(storage, FileSystemStorage)]


def clock() -> Finding:
    now = timezone.now()
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT clock_timestamp()")
            apart = abs((cursor.fetchone()[0] - timezone.now()).total_seconds())
        if apart > CLOCK_SECONDS:
            return failed(
                _("This machine's clock and the database's are %(n)s s apart.") % {"n": f"{apart:.0f}"},
                _("Let a time service (chrony, systemd-timesyncd) set the clocks of all machines."),
            )
    newest = AuditEvent.objects.order_by("-at").values_list("at", flat=True).first()
    if newest is not None and newest > now + datetime.timedelta(seconds=CLOCK_SECONDS):
        return failed(
            _("The log holds an action of %(newest)s UTC, this machine says %(now)s: its clock went back.")
            % {"newest": f"{newest:%F %T}", "now": f"{now:%F %T}"},
            _("Correct the clock before phases open and close by it."),
        )
    return ok(_("The clock says %(now)s UTC.") % {"now": f"{now:%F %T}"})


def sandbox() -> Finding:
    test = examine(settings.SANDBOX, accept_uncounted=settings.ACCEPT_UNCOUNTED_PROGRAMS)
    if not test.ok:
        return warning(
            _("Programs of teams do not run here. %(mend)s") % {"mend": test.how_to_mend},
            _("See docs/deployment.md."),
        )
    return ok(_("The sandbox passed its self-test."))


def program_limits() -> Finding:
    """Of the workers that run programs; of this machine where none is at work."""
    workers = [it for it in living(Heartbeat.Kind.WORKER) if PROGRAMS in it.queues]
    kinds = {it.counted_by for it in workers} or {counted_by(settings.SANDBOX)}
    if "none" not in kinds:
        return ok(_("Control groups count what programs of teams use."))
    names = ", ".join(it.name for it in workers if it.counted_by == "none") or _("this machine")
    mend = _(
        "Start the worker by the systemd unit in docker/systemd, which delegates control groups to it; see "
        "docs/deployment.md."
    )
    if not settings.ACCEPT_UNCOUNTED_PROGRAMS:
        return warning(
            _("Programs of teams are refused: no control group counts what they use (%(names)s).")
            % {"names": names},
            mend,
        )
    text = _(
        "Programs of teams run although no control group counts what they use (%(names)s): a hostile one can "
        "take more memory than its limit."
    ) % {"names": names}
    return failed(text, mend) if settings.PRODUCTION else warning(text, mend)
