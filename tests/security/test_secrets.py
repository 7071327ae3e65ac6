"""No secret and no P in logs, errors, exports or page sources, in a whole life with faults."""

from __future__ import annotations

import json
import logging
import zipfile
from collections.abc import Iterator

import pytest
from django.conf import settings as live
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from contest import logs
from contest.jobs import queue
from contest.models import Job
from tests.factories import PASSWORD, as_zip, entry_files, work_off
from tests.security.world import ELSEWHERE, World, make_world

pytestmark = pytest.mark.django_db

MARK = b"P-would-be-here-7391"


class Kept(logging.Handler):
    """Everything that any logger says, as production would write it."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.addFilter(logs.Redact())
        self.setFormatter(logs.Json())
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@pytest.fixture
def kept() -> Iterator[Kept]:
    handler = Kept()
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    yield handler
    root.removeHandler(handler)
    root.setLevel(level)


@pytest.fixture
def world(settings) -> World:
    settings.API_RATES = {"anonymous": None, "token": None, "write": None}
    settings.OIDC_PROVIDERS = ELSEWHERE
    return make_world("none")


def hidden(world: World) -> dict[str, str]:
    return {
        "password": PASSWORD,
        "secret key": live.SECRET_KEY,
        "secret of a provider": ELSEWHERE["elsewhere"].client_secret,
        "token": world.tokens["owner"],
        "invitation": world.invitation_secret,
        "P": MARK.decode(),
        "truth": " ".join(entry_files()["P.csv"].decode().split()),
    }


def assert_free_of(text: str, secrets: dict[str, str], where: str) -> None:
    flat = " ".join(text.split())
    for what, secret in secrets.items():
        assert secret not in flat, f"{what} stands in {where}"


def test_logs_of_a_life_with_faults_hold_no_secret(
    world: World, kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = world.browser("owner")
    login = {"username": "owner-person", "password": PASSWORD}
    world.browser("visitor").post(reverse("login"), login)
    world.browser("visitor").post(reverse("login"), {**login, "username": "nobody-known"})
    world.browser("loner").get(reverse("join", args=[world.invitation_secret + "x"]))
    world.browser("loner").get(reverse("join", args=[world.invitation_secret]))
    world.browser("visitor").get("/api/v1/me/", headers={"authorization": f"Bearer {world.tokens['owner']}"})
    bad = {**entry_files(), "P.csv": MARK + b"\n" + MARK + b",2\n"}
    upload = SimpleUploadedFile("entry.zip", as_zip(bad))
    assert (
        browser.post(reverse("upload", args=["open-contest", "practice"]), {"archive": upload}).status_code
        == 302
    )
    work_off()
    path = reverse("upload", args=["open-contest", "practice"])
    good = SimpleUploadedFile("entry.zip", as_zip(entry_files("swap", 9)))
    browser.post(path, {"archive": good})

    def stumble(claim: queue.Claim) -> None:
        raise RuntimeError("a fault of ours")

    queue.perform_next(Job.Kind.CHECK, stumble)
    monkeypatch.setattr("contest.board.queries.contest_cards", stumble)
    broken = world.browser("owner").get("/")
    assert broken.status_code == 500
    assert kept.lines and any("a fault of ours" in line for line in kept.lines)
    whole = "\n".join(kept.lines)
    assert_free_of(whole, hidden(world), "the log")
    assert_free_of(broken.content.decode(), hidden(world) | {"inside": "a fault of ours"}, "the error page")
    for line in kept.lines:
        json.loads(line)


def test_problems_told_to_the_team_quote_its_own_cell_and_no_other_file(world: World) -> None:
    """What breaks a rule is quoted to its owners; a P that is in order is quoted to nobody."""
    files = dict(entry_files())
    files["M.csv"] = files["M.csv"] + b"one,too,many\n"
    upload = SimpleUploadedFile("entry.zip", as_zip(files))
    browser = world.browser("owner")
    where = browser.post(reverse("upload", args=["open-contest", "practice"]), {"archive": upload})[
        "Location"
    ]
    work_off()
    page = browser.get(where).content.decode()
    assert_free_of(page, {"truth": hidden(world)["truth"]}, "the entry's page")
    assert world.browser("rival").get(where).status_code == 404


def test_an_exported_contest_holds_no_secret(world: World, tmp_path) -> None:
    target = tmp_path / "bundle.zip"
    call_command("contest_export", "open-contest", "--out", str(target))

    with zipfile.ZipFile(target) as archive:
        for name in archive.namelist():
            text = archive.read(name).decode("utf-8", "replace")
            assert_free_of(text, hidden(world) | {"mail": world.people["owner"].email}, name)


def test_jobs_keep_their_tracebacks_from_teams(world: World) -> None:
    Job.objects.update(error="Traceback: swordfish", reason="An error on our side.")
    for role in ("visitor", "owner", "rival"):
        for path in (
            world.filled("/contests/open-contest/practice/entries/DRAFT/"),
            "/contests/open-contest/",
            "/api/v1/contests/open-contest/jobs/",
        ):
            answer = world.browser(role).get(path, headers=world.headers(role) if "/api/" in path else {})
            assert b"swordfish" not in answer.content
