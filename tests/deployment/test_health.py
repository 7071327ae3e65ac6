"""Health, readiness, metrics and log lines."""

from __future__ import annotations

import json
import logging
import os
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.files.storage import storages
from django.test import Client

from contest import logs, schema
from contest.jobs import queue
from contest.models import Job
from contest.operations import readiness
from tests.conftest import missing
from tests.factories import make_entry, make_round, make_team, work_off

pytestmark = pytest.mark.django_db


def test_a_whole_installation_is_ready() -> None:
    answer = Client().get("/readyz")
    assert (answer.status_code, answer.content.decode()) == (
        200,
        "database ok\nmigrations ok\nstores ok\ndisk ok\nbroker ok\n",
    )
    assert Client().post("/readyz").status_code == 405


@pytest.mark.parametrize("part", readiness.CHECKS)
def test_whatever_fails_is_named_but_not_why(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> bool:
        raise OSError("password swordfish refused by 10.0.0.7")

    monkeypatch.setitem(readiness.CHECKS, part, broken)
    answer = Client().get("/readyz")
    assert answer.status_code == 503
    assert f"{part} FAILED\n" in answer.content.decode()
    assert b"swordfish" not in answer.content


def test_a_store_that_cannot_be_written_is_not_ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("a file stands where the folder should be")
    monkeypatch.setattr(storages["vault"], "location", str(blocked / "vault"))
    assert not readiness.stores()


@pytest.mark.parametrize(
    ("free", "inodes", "answer"),
    [
        (10**9, 10**6, "disk ok"),
        (99 * 1024**2, 10**6, "disk FAILED: less than 100 MB free for attacks, entries, vault"),
        (0, 10**6, "disk FAILED: less than 100 MB free for attacks, entries, vault"),
        (10**9, 0, "disk FAILED: no file can be added for attacks, entries, vault"),
    ],
)
def test_a_full_disk_is_not_ready(
    free: int, inodes: int, answer: str, settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.DISK_MIN_FREE_BYTES = 100 * 1024**2
    facts = SimpleNamespace(f_bavail=free // 512, f_frsize=512, f_files=10**7, f_favail=inodes)
    monkeypatch.setattr(os, "statvfs", lambda folder: facts)
    found = Client().get("/readyz")
    assert found.status_code == (200 if answer == "disk ok" else 503)
    assert answer in found.content.decode().splitlines()


def test_a_small_file_system_that_fills_up_is_not_ready(
    tmp_path: Path, settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.DISK_MIN_FREE_BYTES = 4 * 1024**2
    mount = ["mount", "-t", "tmpfs", "-o", "size=8m,mode=700", "tmpfs", str(tmp_path)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        missing("small file system absent: only root can mount one")
    try:
        monkeypatch.setattr(storages["vault"], "location", str(tmp_path / "vault"))
        assert readiness.report()["disk"] == "ok"
        (tmp_path / "filler").write_bytes(b"x" * 6 * 1024**2)
        assert readiness.report()["disk"] == "FAILED: less than 4 MB free for vault"
        (tmp_path / "filler").unlink()
        assert readiness.report()["disk"] == "ok"
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


def test_a_broker_that_does_not_answer_is_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    from config.celery import app

    monkeypatch.setattr(
        app, "connection_for_write", lambda **options: app.connection("redis://127.0.0.1:1/0", **options)
    )
    assert readiness.report()["broker"] == "FAILED"


def test_a_migration_that_waits_is_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    assert schema.is_up_to_date()
    monkeypatch.setattr("django.db.migrations.recorder.MigrationRecorder.applied_migrations", lambda self: {})
    assert not schema.is_up_to_date()


def test_metrics_are_for_the_monitoring_alone(settings) -> None:
    settings.METRICS_TOKEN, settings.METRICS_ADDRESSES = "", []
    assert Client().get("/metrics", headers={"authorization": "Bearer "}).status_code == 404
    settings.METRICS_TOKEN = "monitor"
    assert Client().get("/metrics").status_code == 404
    assert Client().get("/metrics", headers={"authorization": "Bearer monitox"}).status_code == 404
    forged = {"x-forwarded-for": "10.1.1.1"}
    settings.METRICS_ADDRESSES = ["10.1.1.1"]
    assert Client().get("/metrics", headers=forged).status_code == 404
    assert Client(REMOTE_ADDR="10.1.1.1").get("/metrics").status_code == 200
    assert Client().get("/metrics", headers={"authorization": "Bearer monitor"}).status_code == 200


def test_the_metrics_are_what_prometheus_reads(settings) -> None:
    try:
        from prometheus_client.parser import text_string_to_metric_families as parse
    except ImportError:
        missing("prometheus-client absent: its parser reads our metrics (make install)")
    settings.METRICS_TOKEN = "monitor"
    round_ = make_round()
    make_entry(round_, make_team(round_.contest))
    work_off()
    make_entry(round_, make_team(round_.contest))
    text = Client().get("/metrics", headers={"authorization": "Bearer monitor"}).content.decode()
    read = {family.name: family.samples for family in parse(text)}
    found = {(s.labels["kind"], s.labels["state"]): s.value for s in read["kakurenbo_jobs"]}
    assert found == {
        ("attack", "done"): 1,
        ("check", "done"): 1,
        ("check", "queued"): 1,
        ("score", "done"): 1,
    }
    (waiting,) = read["kakurenbo_oldest_waiting_seconds"]
    assert waiting.labels == {"kind": "check", "queue": "checks"} and waiting.value >= 0
    assert {s.labels["state"]: s.value for s in read["kakurenbo_entries"]} == {"uploaded": 1, "valid": 1}


def written(record_name: str, caplog: pytest.LogCaptureFixture) -> list[dict]:
    """The log as the JSON formatter writes it."""
    found = []
    for record in caplog.records:
        if record.name.startswith(record_name):
            logs.Redact().filter(record)
            found.append(json.loads(logs.Json().format(record)))
    return found


def test_every_request_leaves_one_line_without_its_secrets(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    answer = Client().get("/join/a-secret-invitation/", headers={"x-request-id": "proxy-12345678"})
    assert answer["X-Request-ID"] == "proxy-12345678"
    (line,) = written("contest.requests", caplog)
    assert line["status"] == answer.status_code
    assert (line["method"], line["route"]) == ("GET", "join/<str:token>/")
    whole = json.dumps(written("", caplog))
    assert "a-secret-invitation" not in whole
    hostile = Client().get("/healthz", headers={"x-request-id": 'x" onload=1 \u2028'})
    assert len(hostile["X-Request-ID"]) == 32


def test_a_jobs_lines_carry_its_number(caplog: pytest.LogCaptureFixture) -> None:
    round_ = make_round()
    make_entry(round_, make_team(round_.contest))
    job = Job.objects.get()

    class Capture(logging.Handler):
        lines: list[dict] = []

        def emit(self, record: logging.LogRecord) -> None:
            self.lines.append(json.loads(logs.Json().format(record)))

    handler = Capture()
    queue.logger.addHandler(handler)
    try:

        def stumble(claim: queue.Claim) -> None:
            raise RuntimeError("at redis://:swordfish@host:1/0")

        queue.perform_next(Job.Kind(job.kind), stumble)
    finally:
        queue.logger.removeHandler(handler)
    (line,) = handler.lines
    assert line["job"] == job.pk
    assert "RuntimeError" in line["traceback"] and "swordfish" not in line["traceback"]


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("Not Found: /join/abc/", "Not Found: /join/…"),
        ("/password/reset/MQ/c1-x/ was asked for", "/password/reset/… was asked for"),
        ("key kkb_AbC-123 used", "key kkb_… used"),
        ("postgresql://me:pw@db:1/x is down", "postgresql://me:…@db:1/x is down"),
        ("Authorization: Bearer abc.def", "Authorization: Bearer …"),
        ("nothing to hide at http://host:80/x", "nothing to hide at http://host:80/x"),
    ],
)
def test_secrets_are_taken_out(text: str, clean: str) -> None:
    record = logging.LogRecord("any", logging.INFO, __file__, 1, "%s", (text,), None)
    logs.Redact().filter(record)
    assert record.getMessage() == clean
