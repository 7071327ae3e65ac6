"""Disk full, read-only store, a clock that jumps back: a clear state, and nothing lost."""

from __future__ import annotations

import datetime
import errno
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from contest.errors import Refused
from contest.files.storage import AtomicFileStorage
from contest.jobs import queue
from contest.models import Entry, Job, Phase, Round, Team
from contest.services.phase_clock import run_clock
from contest.services.tokens import create_token
from tests.factories import as_zip, entry_files, make_contest, make_entry, make_round, make_team, work_off

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

HOUR = datetime.timedelta(hours=1)
TROUBLES = {"disk full": errno.ENOSPC, "read-only store": errno.EROFS}


@pytest.fixture
def round_() -> Round:
    return make_round(make_contest(slug="faults"))


@pytest.fixture
def team(round_: Round) -> Team:
    return make_team(round_.contest, "Tanuki")


def break_store(monkeypatch: pytest.MonkeyPatch, number: int, only: str = "") -> None:
    whole = AtomicFileStorage._save

    def save(self: AtomicFileStorage, name: str, content: Any) -> str:
        if only in str(self.location):
            raise OSError(number, "no room")
        return whole(self, name, content)

    monkeypatch.setattr(AtomicFileStorage, "_save", save)


@pytest.mark.parametrize("trouble", TROUBLES)
def test_an_upload_that_cannot_be_kept_is_answered_so_and_costs_nothing(
    round_: Round, team: Team, trouble: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = team.memberships.select_related("user").get().user
    browser = Client(raise_request_exception=False)
    browser.force_login(user)
    secret = create_token(user, "x", ["submit"], 7)
    path = reverse("upload", args=["faults", "practice"])
    api = "/api/v1/contests/faults/rounds/practice/entries/"

    def send(address: str, **options: Any) -> Any:
        file = SimpleUploadedFile("entry.zip", as_zip(entry_files("swap", 1000 + TROUBLES[trouble])))
        return browser.post(address, {"archive": file}, **options)

    with monkeypatch.context() as broken:
        break_store(broken, TROUBLES[trouble])
        page = send(path)
        assert (page.status_code, page["Retry-After"]) == (503, "60")
        program = send(api, headers={"authorization": f"Bearer {secret}"})
        assert (program.status_code, program.json()["error"]["code"]) == (503, "store-unavailable")
        assert not Entry.objects.exists() and not Job.objects.exists()
    assert send(path).status_code == 302
    work_off()
    assert Entry.objects.get().state == Entry.State.VALID


@pytest.mark.parametrize("trouble", TROUBLES)
def test_a_job_waits_for_the_store_and_loses_no_attempt(
    round_: Round, team: Team, trouble: str, monkeypatch: pytest.MonkeyPatch, settings
) -> None:
    entry = make_entry(round_, team, entry_files("noise", TROUBLES[trouble]))
    with monkeypatch.context() as broken:
        break_store(broken, TROUBLES[trouble])
        from contest.work.handlers import work_on

        for _ in range(settings.JOB_MAX_ATTEMPTS + 2):
            work_on(Job.Kind.CHECK)
        job = Job.objects.get(entry=entry)
        assert (job.state, job.attempts) == (Job.State.QUEUED, 0)
        assert job.reason["code"] == "job.store-full"
        entry.refresh_from_db()
        assert entry.state == Entry.State.CHECKING
    work_off()
    entry.refresh_from_db()
    assert entry.state == Entry.State.VALID


def test_a_half_written_file_is_never_seen(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    """The disk fills in the middle of a real write."""
    import os

    from django.core.files.base import ContentFile

    storage = AtomicFileStorage(location=tmp_path)

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "no room")

    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="no room"):
            storage.save("ab/abc", ContentFile(b"x" * 1000))
    assert not storage.exists("ab/abc")
    assert list((tmp_path / "ab").iterdir()) == []


def jump(monkeypatch: pytest.MonkeyPatch, by: datetime.timedelta) -> None:
    """Let the machine's clock show another time from now on."""
    now = timezone.now
    monkeypatch.setattr(timezone, "now", lambda: now() + by)


def test_jobs_of_before_a_jump_back_are_not_waited_for(
    round_: Round, team: Team, monkeypatch: pytest.MonkeyPatch, settings
) -> None:
    dead, waiting = (make_entry(round_, team, entry_files("swap", seed)) for seed in (1, 2))
    claim = queue.claim_job(Job.objects.get(entry=dead).pk)
    assert claim is not None  # Its worker dies now.
    jump(monkeypatch, -HOUR)
    queue.sweep_jobs()
    lease = datetime.timedelta(seconds=settings.JOB_LEASE_SECONDS)
    claim.job.refresh_from_db()
    assert claim.job.lease_until <= timezone.now() + lease
    jump(monkeypatch, 2 * lease)
    swept = queue.sweep_jobs()
    assert swept == {"given_back": 1, "notified": 1}
    work_off()
    assert {entry.state for entry in Entry.objects.all()} == {Entry.State.VALID}
    assert waiting.pk != dead.pk


def test_a_living_worker_keeps_its_job_through_a_jump(
    round_: Round, team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_entry(round_, team)
    claim = queue.claim_job(Job.objects.get().pk)
    assert claim is not None
    jump(monkeypatch, -HOUR)
    assert queue.sweep_jobs()["given_back"] == 0
    assert claim.mine().exists()
    with claim.finish():
        pass
    assert Job.objects.get().state == Job.State.DONE


def test_a_phase_that_was_closed_stays_closed_when_the_clock_jumps_back(
    team: Team, round_: Round, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_entry(round_, team)
    work_off()
    run_clock()
    end = timezone.now() - datetime.timedelta(minutes=1)
    Phase.objects.filter(round=round_, kind=Phase.Kind.ANONYMISE).update(ends_at=end)
    run_clock()
    jump(monkeypatch, -HOUR)
    with pytest.raises(Refused) as refusal:
        make_entry(round_, team, entry_files("swap", 3))
    assert refusal.value.code == "phase-closed"
    before = list(Phase.objects.order_by("pk").values("opened_at", "closed_at"))
    run_clock()
    assert list(Phase.objects.order_by("pk").values("opened_at", "closed_at")) == before
    assert Entry.objects.get().state == Entry.State.VALID
