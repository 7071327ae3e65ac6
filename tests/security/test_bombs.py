"""Uploads that want to fill memory, disk or time: each ends with a verdict and costs no attempt."""

from __future__ import annotations

import gzip
import io
import resource
import zipfile
from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from contest.models import Attack, Entry
from tests.factories import as_zip, entry_files, work_off
from tests.security.world import World, make_world

pytestmark = pytest.mark.django_db

MEGABYTE = 1024 * 1024
MOST_KILOBYTES = 400 * 1024
"""What one bomb may add to this process' memory; unpacked without limits each would need more."""


def zip_of(name: str, chunk: bytes, times: int) -> bytes:
    """A zip with one member that is far larger than it."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as bundle, bundle.open(name, "w") as member:
        for _ in range(times):
            member.write(chunk)
    return archive.getvalue()


def with_file(name: str, content: bytes) -> bytes:
    return as_zip({**entry_files(), name: content})


def many_members() -> bytes:
    return as_zip({f"{number}.csv": b"" for number in range(3000)})


def nested() -> bytes:
    inner = zip_of("M.csv", b"0" * MEGABYTE, 60)
    return as_zip({"M.csv": inner, "T.csv": b"1", "P.csv": b"1"})


BOMBS: dict[str, Callable[[], bytes]] = {
    "zip of zeros": lambda: zip_of("M.csv", b"0" * MEGABYTE, 200),
    "gzip of zeros": lambda: gzip.compress(b"0" * (64 * MEGABYTE)),
    "gzip in a zip": lambda: with_file("T.csv", gzip.compress(b"1,2\n" * MEGABYTE)),
    "zip in a zip": nested,
    "thousands of members": many_members,
    "one endless line": lambda: with_file("T.csv", b"a" * (20 * MEGABYTE)),
    "a million columns": lambda: with_file("T.csv", b"," * MEGABYTE + b"\n"),
    "a million rows": lambda: with_file("T.csv", b"1,2,3,4,5,6\n" * MEGABYTE),
    "a number of a million digits": lambda: with_file("P.csv", b"9" * MEGABYTE + b"\n"),
    "an open quotation": lambda: with_file("M.csv", b'"' + b"x\n" * MEGABYTE),
    "nothing but line ends": lambda: with_file("P.csv", b"\n" * (4 * MEGABYTE)),
}


@pytest.fixture
def world() -> World:
    return make_world()


def test_every_bomb_is_refused_cheaply_and_costs_no_attempt(world: World) -> None:
    path = reverse("upload", args=["open-contest", "practice"])
    for name, make in BOMBS.items():
        bomb = make()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        answer = world.browser("owner").post(path, {"archive": SimpleUploadedFile("entry.zip", bomb)})
        assert answer.status_code == 302, (name, answer.status_code)
        work_off()
        entry = Entry.objects.filter(team=world.team).latest("pk")
        assert entry.state == Entry.State.INVALID, name
        assert entry.problems and not entry.costs_attempt, name
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        assert grown < MOST_KILOBYTES, f"{name}: {grown} kB"


def test_bombs_among_guesses_and_programs_are_refused_at_once(world: World) -> None:
    before = Attack.objects.count()
    guesses = reverse("guesses", args=["open-contest", "practice"])
    program = reverse("program", args=["open-contest", "practice"])
    for name in ("zip of zeros", "zip in a zip", "thousands of members", "gzip of zeros"):
        bomb = BOMBS[name]()
        for path, field in ((guesses, "archive"), (program, "program")):
            answer = world.browser("owner").post(path, {field: SimpleUploadedFile("upload.zip", bomb)})
            assert answer.status_code == 422, (name, field)
    assert Attack.objects.count() == before


def test_a_guess_that_is_a_bomb_is_refused_at_once_and_costs_nothing(world: World) -> None:
    before = Attack.objects.count()
    target = Entry.objects.get(team=world.rivals)
    path = reverse("guesses", args=["open-contest", "practice"])
    for content in (b"9" * MEGABYTE, b"\n" * (4 * MEGABYTE), b"1," * MEGABYTE):
        upload = SimpleUploadedFile(f"{target.pk}.csv", content)
        assert world.browser("owner").post(path, {"archive": upload}).status_code == 422
    assert Attack.objects.count() == before


def test_json_bombs_get_an_error_and_nothing_else(world: World) -> None:
    for body in (
        b"[" * 200_000,
        b'{"a":' * 100_000,
        b'{"name": "' + b"x" * 2_000_000 + b'"}',
        b"1" * 500_000,
    ):
        answer = world.browser("visitor").post(
            "/api/v1/contests/open-contest/team/",
            body,
            content_type="application/json",
            headers=world.headers("loner"),
        )
        assert answer.status_code in (400, 413), answer.status_code
        assert answer.json()["error"]["code"] in ("malformed-json", "json-too-long")


def test_a_request_that_says_it_is_too_large_is_not_read(world: World, settings) -> None:
    path = reverse("upload", args=["open-contest", "practice"])
    answer = world.browser("owner").generic(
        "POST", path, b"", content_type="multipart/form-data; boundary=x", CONTENT_LENGTH=str(10**12)
    )
    assert answer.status_code == 413


def test_a_form_of_thousands_of_fields_or_files_is_refused(world: World) -> None:
    path = reverse("upload", args=["open-contest", "practice"])
    fields = {f"field{number}": "x" for number in range(2000)}
    assert world.browser("owner").post(path, fields).status_code == 400
    files = {f"file{number}": SimpleUploadedFile("x", b"") for number in range(200)}
    assert world.browser("owner").post(path, files).status_code == 400
