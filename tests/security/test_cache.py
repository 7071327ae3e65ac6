"""Whoever can write to the cache runs nothing by it: on a real Redis, with the keys of the real pages."""

from __future__ import annotations

import datetime
import json
import logging
import pickle
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
from django.core.cache import caches
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config import environment
from contest.errors import Refused
from contest.models import Commitment, Phase, Round, Team
from contest.pages.dry_run import CHECKS_A_MINUTE, take_turn
from contest.services.phase_clock import run_clock
from tests.conftest import ROOT
from tests.factories import as_zip, entry_files, make_contest, make_entry, make_round, make_team, work_off
from tests.services.servers import Redis, private_server
from tests.test_architecture import modules

pytestmark = [pytest.mark.django_db, pytest.mark.service]

HOUR = datetime.timedelta(hours=1)


class Planted:
    """What an attacker would put there: a pickle that leaves a file behind when somebody opens it."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (self.trace,))


@pytest.fixture(scope="module")
def server() -> Iterator[Redis]:
    with private_server(Redis) as found:
        assert isinstance(found, Redis)
        yield found


@pytest.fixture
def store(server: Redis, settings: Any) -> Iterator[redis.Redis]:
    """The cache as production has it, and a client that writes past it."""
    settings.CACHES = {"default": environment.cache(server.url())}
    with redis.from_url(server.url()) as client:
        client.flushall()
        yield client


@pytest.fixture
def round_() -> Round:
    now = timezone.now()
    phases = [
        (Phase.Kind.ANONYMISE, now - 2 * HOUR, now + HOUR),
        (Phase.Kind.RESULTS, now + HOUR, now + 2 * HOUR),
    ]
    return make_round(make_contest(slug="shared"), phases=phases)


@pytest.fixture
def team(round_: Round) -> Team:
    return make_team(round_.contest, "Tanuki")


def call_api(round_: Round, team: Team) -> str:
    """The throttles keep the times of a caller's last requests."""
    answer = Client().get("/api/v1/contests/")
    assert answer.status_code == 200
    return answer.content.decode()


def check_upload(round_: Round, team: Team) -> str:
    """Checks without an attempt are counted, a minute at a time."""
    browser = Client()
    browser.force_login(team.memberships.select_related("user").get().user)
    sent = {"archive": SimpleUploadedFile("e.zip", as_zip(entry_files())), "check": "1"}
    answer = browser.post(reverse("upload", args=["shared", "practice"]), sent)
    assert answer.status_code == 200
    return f"{answer.context['problem_total']} problems"


def press_verify(round_: Round, team: Team) -> str:
    """What a verification found is kept for some seconds."""
    if not Commitment.objects.filter(round=round_).exists():
        make_entry(round_, team)
        work_off()
        run_clock()
        Phase.objects.filter(round=round_, kind=Phase.Kind.ANONYMISE).update(ends_at=timezone.now() - HOUR)
        Phase.objects.filter(round=round_, kind=Phase.Kind.RESULTS).update(starts_at=timezone.now() - HOUR)
        run_clock()
    answer = Client().post(reverse("verify_hashes", args=["shared", "practice"]))
    assert answer.status_code == 200
    page = answer.content.decode()
    assert "everything in it is so today" in page
    return re.sub(r'value="\w{64}"', "", page)


USES: dict[str, Callable[[Round, Team], str]] = {
    "throttles": call_api,
    "checks": check_upload,
    "verifications": press_verify,
}
"""Every part of the site that keeps something in the cache; a test below looks for others."""
JUNK = {
    "words": b"hello",
    "half of a list": b"[1, 2",
    "not UTF-8": b'"\xff"',
    "not a number of JSON": b"NaN",
    "a number beyond all bounds": b"9" * 5000,
    "deeply nested": b"[" * 100_000,
}


def test_nothing_else_keeps_anything_in_the_cache() -> None:
    asking = {
        path.relative_to(ROOT).as_posix()
        for path in modules()
        if re.search(
            r"django\.core\.cache\b(?!\.backends\.locmem)|rest_framework\.throttling|cache_page",
            path.read_text("utf-8"),
        )
    }
    assert asking == {
        "config/caches.py", "contest/api/throttles.py", "contest/pages/dry_run.py",
        "contest/views/commitments.py",
    }  # fmt: skip
    for path in (ROOT / "templates").rglob("*.html"):
        assert "{% cache" not in path.read_text("utf-8"), path


@pytest.mark.parametrize("use", USES)
def test_a_planted_pickle_runs_nothing_and_the_page_answers(
    use: str, store: redis.Redis, round_: Round, team: Team, tmp_path: Path, caplog: Any
) -> None:
    before = USES[use](round_, team)
    keys = [bytes(key) for key in store.keys("*")]
    assert keys
    trace = tmp_path / "it-ran"
    for key in keys:
        store.set(key, pickle.dumps(Planted(trace)))
    with caplog.at_level(logging.WARNING, "config.caches"):
        assert USES[use](round_, team) == before
    assert not trace.exists()
    told = [record.getMessage() for record in caplog.records if record.name == "config.caches"]
    assert all(any(key.decode() in line for line in told) for key in keys), (keys, told)
    # What was planted is gone: the next visitor finds what the page put in its place.
    assert not [key for key in keys if b"touch" in (store.get(key) or b"")]


@pytest.mark.parametrize("junk", JUNK)
@pytest.mark.parametrize("use", USES)
def test_whatever_else_is_planted_is_no_entry_of_the_cache(
    use: str, junk: str, store: redis.Redis, round_: Round, team: Team
) -> None:
    before = USES[use](round_, team)
    for key in store.keys("*"):
        store.set(key, JUNK[junk])
    assert USES[use](round_, team) == before


@pytest.mark.parametrize("use", USES)
def test_a_key_of_another_kind_is_no_entry_of_the_cache(
    use: str, store: redis.Redis, round_: Round, team: Team
) -> None:
    before = USES[use](round_, team)
    for key in store.keys("*"):
        store.delete(key)
        store.rpush(key, b"1")
    assert USES[use](round_, team) == before


def test_what_the_pages_keep_is_json_to_the_last_byte(store: redis.Redis, round_: Round, team: Team) -> None:
    for use in USES.values():
        use(round_, team)
    kept = {bytes(key): bytes(store.get(key) or b"") for key in store.keys("*")}
    assert len(kept) >= len(USES)
    for value in kept.values():
        json.loads(value)


def test_checks_are_counted_by_all_web_processes_together(store: redis.Redis, team: Team) -> None:
    for _ in range(CHECKS_A_MINUTE):
        take_turn(team)
    with pytest.raises(Refused):
        take_turn(team)


@pytest.mark.parametrize("value", [{1, 2}, b"x", object(), {1: "x"}, (1, 2), float("nan"), timezone.now])
def test_what_json_cannot_carry_is_refused_when_it_is_kept(store: redis.Redis, value: object) -> None:
    """Otherwise it would come back as something else, and only on installations with Redis."""
    with pytest.raises(TypeError, match=r"The cache stores .* Got"):
        caches["default"].set("x", value)
    assert store.keys("*") == []


@pytest.mark.parametrize("value", [None, True, 0, -5, 1.5, "", "日本", [1, [2.5, "x"]], {"a": {"b": None}}])
def test_what_json_carries_comes_back_as_it_was(store: redis.Redis, value: object) -> None:
    cache = caches["default"]
    cache.set("x", value)
    missing = object()
    found = cache.get("x", missing)
    assert (found, type(found)) == (value, type(value))
    assert cache.get_many(["x", "y"]) == {"x": value}
    assert cache.get("y", missing) is missing
