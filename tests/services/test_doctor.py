"""The doctor: green where all is well, and for every problem a finding that says how to fix it."""

from __future__ import annotations

import datetime
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.storage import FileSystemStorage, storages
from django.core.management import CommandError, call_command
from django.utils import timezone

from attacks.sandbox import counted_by
from contest.jobs.heartbeats import beat, forget_the_dead, living, say_goodbye
from contest.jobs.queues import QUEUES
from contest.models import AuditEvent, Contest, Entry, Heartbeat, Sealed
from contest.operations.doctor import examination
from contest.operations.doctor.finding import Finding
from contest.operations.private_files import close_to_others
from contest.records import audit
from tests.conftest import missing
from tests.factories import make_contest, make_entry, make_round, make_team, work_off
from tests.services.installation import Processes, wait_for

MOST = [name for name in examination.CHECKS if name not in {"sandbox", "program-limits", "disk"}]
"""The sandbox and the disk are the machine's, not the tests'."""


def found(name: str) -> Finding:
    return dict(examination.examine([name]))[name]


def all_alive() -> None:
    # Pytest's own umask is the developer's.
    close_to_others()
    now = timezone.now()
    beat("w", Heartbeat.Kind.WORKER, set(QUEUES.values()), now)
    beat("s", Heartbeat.Kind.SWEEPER, [], now)


@pytest.fixture
def contest() -> Contest:
    round_ = make_round()
    make_entry(round_, make_team(round_.contest))
    work_off()
    return round_.contest


@pytest.mark.django_db
def test_a_sound_installation_is_green(contest: Contest) -> None:
    all_alive()
    out = io.StringIO()
    call_command("doctor", f"--only={','.join(MOST)}", stdout=out)
    assert out.getvalue().count("\n") == len(MOST)
    assert "FAILED" not in out.getvalue(), out.getvalue()


@pytest.mark.django_db
def test_findings_come_as_json_and_the_exit_code_tells(contest: Contest) -> None:
    out = io.StringIO()
    with pytest.raises(CommandError) as caught:
        call_command("doctor", "--json", f"--only={','.join(MOST)}", stdout=out)
    assert caught.value.returncode == 1
    told = json.loads(out.getvalue())
    assert told["ok"] is False
    assert told["findings"]["database"]["state"] == "ok"
    assert told["findings"]["workers"]["state"] == "failed"
    assert "Start workers" in told["findings"]["workers"]["mend"]


@pytest.mark.broker
@pytest.mark.django_db(transaction=True)
def test_real_workers_and_a_real_sweeper_are_seen_and_missed_when_they_stop() -> None:
    with Processes(KAKURENBO_HEARTBEAT_SECONDS="1") as processes:
        worker = processes.start_worker()
        sweeper = processes.start_sweeper()
        wait_for(lambda: bool(living(Heartbeat.Kind.WORKER)), 120, "a heartbeat from the worker")
        wait_for(lambda: bool(living(Heartbeat.Kind.SWEEPER)), 120, "a heartbeat from the sweeper")
        assert found("workers").state == "ok"
        assert found("sweeper").state == "ok"
        for process in (worker, sweeper):
            process.terminate()
        wait_for(lambda: not living(Heartbeat.Kind.WORKER), 120, "the farewell of the worker")
        wait_for(lambda: not living(Heartbeat.Kind.SWEEPER), 120, "the farewell of the sweeper")
        assert found("workers").state == "failed"
        assert found("sweeper").state == "failed"


def silent_worker(contest: Contest) -> None:
    long_ago = timezone.now() - datetime.timedelta(seconds=settings.HEARTBEAT_LATE_SECONDS + 60)
    Heartbeat.objects.filter(kind=Heartbeat.Kind.WORKER).update(beat_at=long_ago)


def deaf_worker(contest: Contest) -> None:
    Heartbeat.objects.filter(kind=Heartbeat.Kind.WORKER).update(queues=["checks", "scoring"])


def old_worker(contest: Contest) -> None:
    Heartbeat.objects.filter(kind=Heartbeat.Kind.WORKER).update(version="0.0.1")


def forged_row(contest: Contest) -> None:
    audit.extend_chain(contest.pk)
    AuditEvent.objects.filter(contest=contest, number=2).update(reason="Nothing.")


def lost_file(contest: Contest) -> None:
    entry = Entry.objects.filter(round__contest=contest)[0]
    Sealed.objects.filter(entry=entry).update(sha256="0" * 64)


def clock_ran_back(contest: Contest) -> None:
    AuditEvent.objects.update(at=timezone.now() + datetime.timedelta(hours=1))


AILMENTS: dict[str, tuple[Callable[[Contest], None], str, str, str]] = {
    "a worker that is silent": (silent_worker, "workers", "failed", "No worker has sent a heartbeat"),
    "a queue without a worker": (deaf_worker, "workers", "failed", "Nobody works on the queue attacks"),
    "a worker of another version": (old_worker, "workers", "warning", "Of another version: w"),
    "no sweeper": (lambda it: say_goodbye("s"), "sweeper", "failed", "phases do not open"),
    "a forged log": (forged_row, "audit-chain", "failed", "row 2"),
    "a lost file": (lost_file, "stored-files", "failed", f"{'0' * 64} in vault"),
    "a clock that went back": (clock_ran_back, "clock", "failed", "its clock went back"),
}


@pytest.mark.django_db
@pytest.mark.parametrize("ailment", AILMENTS)
def test_every_ailment_is_found_and_can_be_mended(contest: Contest, ailment: str) -> None:
    spoil, check, state, text = AILMENTS[ailment]
    all_alive()
    spoil(contest)
    finding = found(check)
    assert finding.state == state
    assert text in finding.text
    assert finding.mend


@pytest.mark.django_db
def test_a_vault_that_others_can_read_and_a_weak_key_are_found(settings: Any, contest: Contest) -> None:
    vault = storages["vault"]
    assert isinstance(vault, FileSystemStorage)
    folder = Path(vault.location)
    mode = folder.stat().st_mode & 0o777
    assert found("vault-permissions").state == "ok"
    folder.chmod(0o755)
    try:
        assert found("vault-permissions").state == "failed"
    finally:
        folder.chmod(mode)
    settings.SECRET_KEY = "short"
    assert found("secret-key").state == "failed"


@pytest.mark.django_db
def test_a_full_disk_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    class Usage:
        total, used, free = 100 * 1024**3, 99 * 1024**3, 1024**3 // 2

    monkeypatch.setattr("contest.operations.doctor.machine.shutil.disk_usage", lambda folder: Usage)
    assert found("disk").state == "failed"
    assert "0.5 / 100.0 GiB" in found("disk").text


@pytest.mark.django_db
def test_a_check_that_breaks_is_a_finding_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def explode() -> Finding:
        raise OSError("no route to host")

    monkeypatch.setitem(examination.CHECKS, "broker", explode)
    findings = dict(examination.examine(["broker", "clock"]))
    assert findings["broker"].state == "failed"
    assert "no route to host" in findings["broker"].text
    assert findings["clock"].state == "ok"


@pytest.mark.django_db
def test_the_dead_are_forgotten_after_a_while() -> None:
    all_alive()
    make_contest()
    Heartbeat.objects.filter(name="w").update(beat_at=timezone.now() - datetime.timedelta(hours=2))
    assert forget_the_dead() == 1
    assert list(Heartbeat.objects.values_list("name", flat=True)) == ["s"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("counted_by", "accepted", "production", "state", "words"),
    [
        ("v2", False, True, "ok", "Control groups count"),
        ("v1", False, True, "ok", "Control groups count"),
        ("engine", False, True, "ok", "Control groups count"),
        ("none", False, True, "warning", "are refused"),
        ("none", True, True, "failed", "can take more memory"),
        ("none", True, False, "warning", "can take more memory"),
    ],
)
def test_workers_whose_programs_nothing_counts_are_named(
    counted_by: str, accepted: bool, production: bool, state: str, words: str, settings: Any
) -> None:
    settings.ACCEPT_UNCOUNTED_PROGRAMS, settings.PRODUCTION = accepted, production
    now = timezone.now()
    beat("sandboxes@one", Heartbeat.Kind.WORKER, ["programs"], now, counted_by=counted_by)
    beat("checks@two", Heartbeat.Kind.WORKER, ["checks"], now)
    finding = found("program-limits")
    assert finding.state == state
    assert words in finding.text
    assert ("sandboxes@one" in finding.text) == (counted_by == "none")
    assert "checks@two" not in finding.text


@pytest.mark.django_db
def test_without_a_worker_for_programs_this_machine_is_looked_at(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KAKURENBO_CGROUP", "none")
    settings.SANDBOX = "auto"
    if counted_by() == "":
        missing("sandbox absent: nothing could run a program here")
    assert "this machine" in found("program-limits").text
