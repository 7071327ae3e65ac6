"""A backup of a running contest, restored elsewhere, is the same installation: rows, files and boards."""

from __future__ import annotations

import itertools
import json
import stat
import subprocess
import sys
import threading
import uuid
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection

from attacks.sandbox import cgroup
from contest.archive.pages import static_pages
from contest.errors import Refused
from contest.models import Announcement, Contest, Job
from contest.operations.backup.restoring import restore_backup
from contest.services.contests import announce
from tests.archives import play
from tests.conftest import ROOT
from tests.factories import entry_files, make_contest, make_entry, make_round, make_team
from tests.services.installation import Processes, database_url, environment, wait_for

pytestmark = pytest.mark.django_db(transaction=True)

RESTORE = """
from django.core.management import call_command
call_command("restore", {file!r})
call_command("backup", "--out", {again!r})
call_command("audit_verify")
"""
LIVE_ON = """
import json, time
from django.core.management import call_command
from attacks.sandbox import cgroup
from contest.archive.pages import static_pages
from contest.models import Announcement, Contest, Heartbeat, Job
from contest.services.contests import announce
from contest.jobs.heartbeats import living
saved = Announcement.objects.count()
deadline = time.monotonic() + 240
while time.monotonic() < deadline:
    waiting = Job.objects.exclude(state__in=["done", "failed"]).count()
    if not waiting and living(Heartbeat.Kind.WORKER) and living(Heartbeat.Kind.SWEEPER):
        break
    time.sleep(0.2)
contests = [Contest.objects.get(slug=slug) for slug in ("played", "live")]
boards = [static_pages(contest)["results/practice.json"] for contest in contests]
print("RESULT " + json.dumps([boards, saved, waiting]))
contest = contests[0]
announce(contest, contest.organisers.get().user, "Life goes on", "")
call_command("doctor", "--skip=disk,sandbox")
"""
"""The disk and the sandbox are the machine's, not the backup's."""


@contextmanager
def empty_database(folder: Path) -> Iterator[str]:
    """A new database beside the one of the tests, of the same kind; yields its URL."""
    if connection.vendor == "sqlite":
        yield f"sqlite:///{folder / 'restored.sqlite3'}"
        return
    name = f"kakurenbo_restore_{uuid.uuid4().hex[:12]}"
    server = database_url().rsplit("/", 1)[0]
    with psycopg.connect(f"{server}/postgres", autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")
    try:
        yield f"{server}/{name}"
    finally:
        with psycopg.connect(f"{server}/postgres", autocommit=True) as admin:
            admin.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


@contextmanager
def writing(act: Callable[[int], object]) -> Iterator[threading.Event]:
    """Somebody who acts without pause until the block ends; the event is set after the first act."""
    stop, begun = threading.Event(), threading.Event()

    def write() -> None:
        try:
            for number in itertools.count(1):
                act(number)
                begun.set()
                if stop.is_set():
                    return
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        written = pool.submit(write)
        try:
            yield begun
        finally:
            stop.set()
        written.result(60)


def backed_up(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def run_there(script: str, surroundings: dict[str, str]) -> str:
    """Run something in another installation."""
    command = [sys.executable, str(ROOT / "manage.py"), "shell", "--no-imports", "--command", script]
    done = subprocess.run(
        command, env=environment(**surroundings), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def live_contest() -> Contest:
    """Three teams whose entries wait for a worker."""
    contest = make_contest(slug="live")
    round_ = make_round(contest)
    for name in ("Kappa", "Tengu", "Kitsune-bi"):
        make_entry(round_, make_team(contest, name), entry_files("swap", len(name)))
    return contest


def open_jobs() -> int:
    return Job.objects.exclude(state__in=[Job.State.DONE, Job.State.FAILED]).count()


def test_a_backup_of_a_running_contest_is_restored_on_an_empty_machine(tmp_path: Path) -> None:
    """Taken while workers work and people write. There the work goes on: same boards, a content doctor."""
    contest, live = play(), live_contest()
    user = contest.organisers.get().user
    first, again = tmp_path / "first.zip", tmp_path / "again.zip"
    with Processes() as here:
        here.start_worker()
        here.start_sweeper()
        checked = Job.objects.filter(entry__round__contest=live, state=Job.State.DONE)
        wait_for(checked.exists, 120, "a worker has checked an entry")
        with writing(lambda number: announce(contest, user, f"News {number}", "")) as begun:
            assert begun.wait(60)
            before = Announcement.objects.count()
            call_command("backup", out=first)
            after = Announcement.objects.count()
        wait_for(lambda: not open_jobs(), 120, "the workers are done")
    assert stat.S_IMODE(first.stat().st_mode) == 0o600
    saved = backed_up(first)["rows/announcement.jsonl"].count(b"\n")
    assert before <= saved <= after
    with empty_database(tmp_path) as url:
        there = {
            "KAKURENBO_VAR": str(tmp_path / "var"),
            "KAKURENBO_DATABASE_URL": url,
            "KAKURENBO_BROKER_URL": "files://localhost/",
            "KAKURENBO_HEARTBEAT_SECONDS": "1",
            "KAKURENBO_LOG_LEVEL": "ERROR",
        }
        (tmp_path / "var").mkdir()
        told = run_there(RESTORE.format(file=str(first), again=str(again)), there)
        assert "played: " in told
        with Processes(**there) as restored:
            restored.start_worker()
            restored.start_sweeper()
            told = run_there(LIVE_ON, there)
    result = next(line for line in told.splitlines() if line.startswith("RESULT "))
    boards, announcements, waiting = json.loads(result.removeprefix("RESULT "))
    assert waiting == 0
    assert boards == [static_pages(each)["results/practice.json"] for each in (contest, live)]
    assert announcements == saved
    assert "ok      audit-chain" in told and "FAILED" not in told
    # Of what the machine itself lacks, the doctor warns in every installation.
    lacking = set() if cgroup.find().found else {"program-limits"}
    warned = {line.split()[1].rstrip(":") for line in told.splitlines() if line.startswith("WARNING")}
    assert warned == lacking
    assert again.read_bytes() == first.read_bytes()


def test_nothing_is_restored_over_what_is_there(tmp_path: Path) -> None:
    contest = play()
    path = tmp_path / "backup.zip"
    call_command("backup", out=path)
    with pytest.raises(Refused, match="This installation is not empty"):
        restore_backup(path)
    assert Contest.objects.get() == contest
    with pytest.raises(CommandError, match="expected 'kakurenbo_archive'"):
        call_command("contest_import", path, organiser=contest.organisers.get().user.username)


def spoiled(path: Path, out: Path, change: Callable[[dict[str, bytes]], object]) -> Path:
    files = backed_up(path)
    change(files)
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out


def test_a_damaged_or_foreign_backup_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "backup.zip"
    call_command("backup", out=path)
    damaged = spoiled(
        path, tmp_path / "damaged.zip", lambda files: files.update({"rows/user.jsonl": b"{}\n"})
    )
    with pytest.raises(Refused, match=r"rows/user\.jsonl: (longer|got)"):
        restore_backup(damaged)

    def older(files: dict[str, bytes]) -> None:
        manifest = json.loads(files["manifest.json"])
        manifest["migrations"].pop()
        files["manifest.json"] = json.dumps(manifest).encode()

    with pytest.raises(Refused, match="with other migrations than this database has"):
        restore_backup(spoiled(path, tmp_path / "older.zip", older))
    assert settings.VERSION in json.loads(backed_up(path)["manifest.json"])["versions"]["kakurenbo"]
