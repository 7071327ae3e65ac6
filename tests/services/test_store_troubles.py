"""A store on a disk that is full or read-only, for real: a mount, web pages, a worker and a sweeper."""

from __future__ import annotations

import contextlib
import gc
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from contest.jobs.queue import STORE_FULL
from contest.models import Entry, Job, Round, Team
from contest.services.datasets import load_files
from contest.services.tokens import create_token
from contest.work.handlers import work_on
from tests.conftest import missing
from tests.factories import as_zip, entry_files, make_contest, make_entry, make_round, make_team, work_off
from tests.services.installation import Processes, wait_for

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow, pytest.mark.once]


@contextlib.contextmanager
def read_only(disk: Path) -> Iterator[None]:
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    try:
        yield
    finally:
        subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)


@contextlib.contextmanager
def full(disk: Path) -> Iterator[None]:
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space left"):
        while True:
            file.write(b"\0" * 65536)
    try:
        yield
    finally:
        filler.unlink()


TROUBLES: dict[str, Callable[[Path], contextlib.AbstractContextManager[None]]] = {
    "read-only": read_only,
    "full": full,
}


@pytest.fixture
def disk() -> Iterator[Path]:
    """A small disk in the place of the folder of all stores."""
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        missing("mounting absent: only root on Linux can give a test a disk of its own")
    place = Path(settings.VAR) / "files"
    place.mkdir(exist_ok=True)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16m,mode=0700", "kakurenbo-test", str(place)],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode != 0:
        missing(f"mounting absent: this root may not mount ({mounted.stderr.strip()})")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


@pytest.fixture
def round_(disk: Path) -> Round:
    return make_round(make_contest(slug="faults"))


@pytest.fixture
def team(round_: Round) -> Team:
    return make_team(round_.contest, "Tanuki")


def half_written(disk: Path) -> list[Path]:
    return [path for path in disk.rglob("*") if path.name.startswith(".") or ".new-" in path.name]


class Visitor:
    """A member of the team, by browser and by program."""

    def __init__(self, team: Team) -> None:
        self.browser = Client(raise_request_exception=False)
        user = team.memberships.select_related("user").get().user
        self.browser.force_login(user)
        self.authorization = {"authorization": f"Bearer {create_token(user, 'x', ['read', 'submit'], 7)}"}

    def upload(self, seed: int) -> Any:
        file = SimpleUploadedFile("entry.zip", as_zip(entry_files("swap", seed)))
        return self.browser.post(reverse("upload", args=["faults", "practice"]), {"archive": file})

    def upload_by_program(self, seed: int) -> Any:
        file = SimpleUploadedFile("entry.zip", as_zip(entry_files("swap", seed)))
        return self.browser.post(
            "/api/v1/contests/faults/rounds/practice/entries/",
            {"archive": file},
            headers=self.authorization,
        )

    def status(self, *route: Any) -> int:
        answer = self.browser.get(reverse(route[0], args=route[1:]))
        if answer.streaming:
            assert len(b"".join(answer.streaming_content)) > 0  # type: ignore[attr-defined]
        return answer.status_code


@pytest.mark.parametrize("trouble", TROUBLES)
def test_everything_that_needs_no_room_goes_on_and_the_rest_waits(
    trouble: str, disk: Path, round_: Round, team: Team
) -> None:
    visitor = Visitor(team)
    waiting = make_entry(round_, team, entry_files("noise", 3))
    with Processes() as processes:
        with TROUBLES[trouble](disk):
            for answer in (visitor.upload(21), visitor.upload_by_program(22)):
                assert (answer.status_code, answer["Retry-After"]) == (503, "60")
            assert Entry.objects.get() == waiting
            processes.start_worker()
            processes.start_sweeper()

            def waits() -> bool:
                job = Job.objects.get(entry=waiting)
                assert job.state in (Job.State.QUEUED, Job.State.RUNNING), job.error
                return job.reason == STORE_FULL().as_data()

            wait_for(waits, 120, "the job waits for the store")
            shown = [
                ("leaderboard", "faults", "practice"),
                ("dataset_download", "faults", "practice", "M.csv"),
                ("kit", "faults", "practice"),
                ("upload", "faults", "practice"),
                ("healthz",),
            ]
            assert {route: visitor.status(*route) for route in shown} == dict.fromkeys(shown, 200)
            assert Job.objects.get(entry=waiting).attempts <= 1
            assert half_written(disk) == []

        def valid() -> bool:
            waiting.refresh_from_db()
            return waiting.state == Entry.State.VALID and waiting.hits is not None

        wait_for(valid, 120, "the job is done once there is room")
        assert visitor.upload(21).status_code == 302
        wait_for(lambda: Entry.objects.filter(state="valid").count() == 2, 120, "so is a new upload")
        wait_for(
            lambda: not Job.objects.exclude(state="done").exists(), 120, "and all that follows from them"
        )
    assert set(Job.objects.values_list("attempts", flat=True)) == {1}
    assert half_written(disk) == []


@contextlib.contextmanager
def no_temporary_room(disk: Path) -> Iterator[None]:
    """The folder for temporary files is on a disk that is full."""
    with full(disk), pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(disk))
        yield


def test_a_job_waits_for_room_for_temporary_files_and_loses_no_attempt(
    disk: Path, round_: Round, team: Team
) -> None:
    entry = make_entry(round_, team, entry_files("noise", 4))
    load_files.cache_clear()
    with no_temporary_room(disk):
        for _ in range(settings.JOB_MAX_ATTEMPTS + 2):
            work_on(Job.Kind.CHECK)
        job = Job.objects.get(entry=entry)
        assert (job.state, job.attempts, job.reason) == ("queued", 0, STORE_FULL().as_data())
    work_off()
    entry.refresh_from_db()
    assert entry.state == Entry.State.VALID


def close_temporary_files(disk: Path) -> None:
    """The kept logs hold what failed, and with it temporary files, to be gone before their disk."""
    for it in gc.get_objects():
        if type(it) is tempfile._TemporaryFileWrapper and Path(it.name).parent == disk:
            it.close()


@pytest.mark.parametrize("megabytes", [1, 6])
def test_an_upload_without_room_for_temporary_files_is_told_to_come_again(
    megabytes: int, disk: Path, round_: Round, team: Team
) -> None:
    """A large body is put into a temporary file before any view sees it."""
    visitor = Visitor(team)
    padding = {"padding.bin": os.urandom(megabytes * 1024 * 1024)}
    archive = as_zip({**entry_files("swap", 9), **padding})
    api = {"path": "/api/v1/contests/faults/rounds/practice/entries/", "headers": visitor.authorization}
    page = {"path": reverse("upload", args=["faults", "practice"])}
    with no_temporary_room(disk):
        for request in (page, api):
            file = SimpleUploadedFile("entry.zip", archive)
            answer = visitor.browser.post(data={"archive": file}, **request)
            assert (answer.status_code, answer.get("Retry-After")) == (503, "60"), request
        close_temporary_files(disk)
    assert not Entry.objects.exists()
    assert half_written(disk) == []
