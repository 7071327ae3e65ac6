"""An installation started by docker/compose.yaml plays a contest; `make image-test` does it from images."""

from __future__ import annotations

import http.client
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from tests.deployment.composed import HOST, Composed, FromCheckout, running
from tests.services.installation import wait_for
from tests.services.servers import Postgres, Redis, private_server

pytestmark = [pytest.mark.service, pytest.mark.slow, pytest.mark.timeout(600)]
STARTED = ("web", "sweeper", "checks", "scoring", "attacks")
ORGANISER = "from contest.models import User; User.objects.create_user('oni', 'oni@example.org')"
BUNDLE = """\
kakurenbo: 1
slug: packed
title: A contest in a box
summary: Played by the services of the compose file.
time-zone: Asia/Tokyo
public: true
data:
  Shop: {generate: {customers: 12, seed: 7}}
rounds:
- slug: practice
  name: Practice
  weight: 0.0
  data: Shop
  seed: 5
  phases:
    anonymise: {from: 2020-01-01T00:00:00+00:00, until: 2100-01-01T00:00:00+00:00}
    attack: {from: 2020-01-01T00:00:00+00:00, until: 2100-01-01T00:00:00+00:00}
    results: {from: 2100-01-01T00:00:00+00:00, until: 2100-02-01T00:00:00+00:00}
  limits:
  - {measure: ut-jaccard, at-most: 1.0}
  attacks: [re-totals]
  baselines:
  - {method: identity, seed: 1}
  ranking: "2016"
  feedback: full
  attempts: {entries-per-day: 20, entries-in-total: 500, attacks-per-day: 50}
"""


@dataclass(frozen=True)
class Servers:
    """The database and the broker of an installation."""

    postgres: Postgres
    redis: Redis

    def urls(self) -> dict[str, str]:
        url = self.postgres.url()
        return {
            "database_url": url,
            "attacks_database_url": url.replace("kakurenbo@", "kakurenbo_attacks@", 1),
        }

    def let_in(self, place: Composed) -> None:
        """From now on Redis knows the users of the installation's secrets, and no others."""
        self.redis.restart_with_users(place.secret("redis_users"))
        for name in ("broker_url", "attacks_broker_url", "cache_url"):
            place.change_secret(name, self.redis.at(place.secret(name)))


@contextmanager
def servers() -> Iterator[Servers]:
    with private_server(Postgres) as postgres, private_server(Redis) as redis:
        with psycopg.connect(postgres.url("postgres"), autocommit=True) as admin:
            admin.execute("CREATE DATABASE kakurenbo")
        yield Servers(postgres, redis)


def test_an_installation_started_by_the_compose_file_plays(tmp_path: Path) -> None:
    with servers() as here:
        place = FromCheckout(tmp_path, here.urls())
        with running(place):
            here.let_in(place)
            # The image is built with them.
            place.run("web", ["python", "manage.py", "collectstatic", "--noinput"])
            plays(place, here)


def plays(place: Composed, here: Servers) -> None:
    """From an empty database to a judged entry; then every service ends when it is asked to."""
    place.run("migrate", place.command("migrate"))
    for service in STARTED:
        place.start(service)
    wait_for(lambda: _status(place, "/readyz") == 200, 300, "the web server is ready")
    place.run("web", place.services["web"]["healthcheck"]["test"][1:])
    _pages_are_served(place)
    _a_contest_is_played(place, here.postgres.url())
    assert place.ended() == []
    assert {service: place.stop(service) for service in STARTED} == dict.fromkeys(STARTED, 0)


def _get(place: Composed, path: str, language: str = "en") -> tuple[int, str]:
    """As the proxy asks: by the site's name, with TLS ended before."""
    connection = http.client.HTTPConnection("127.0.0.1", place.port, timeout=20)
    headers = {"Host": HOST, "X-Forwarded-Proto": "https", "Accept-Language": language}
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def _status(place: Composed, path: str) -> int | None:
    assert place.ended() == []
    try:
        return _get(place, path)[0]
    except (OSError, http.client.HTTPException):
        return None


def _pages_are_served(place: Composed) -> None:
    assert _get(place, "/readyz") == (200, "database ok\nmigrations ok\nstores ok\ndisk ok\nbroker ok\n")
    status, page = _get(place, "/")
    assert status == 200
    assert "Kakurenbo" in page and '<html lang="en"' in page
    style = re.search(r'href="(/static/[^"]+\.css)"', page)
    assert style is not None, page
    assert _get(place, style[1])[0] == 200
    status, page = _get(place, "/", "ja")
    assert status == 200
    assert '<html lang="ja"' in page and "ログイン" in page


def _a_contest_is_played(place: Composed, database: str) -> None:
    """Each kind of machine has a part in it: house entry, check, score, attack, judge."""
    place.run("web", ["python", "manage.py", "shell", "--command", ORGANISER])
    (place.folder / "entries" / "bundle.yaml").write_text(BUNDLE, encoding="utf-8")
    bundle = f"{place.store('entries')}/bundle.yaml"
    place.run("web", ["python", "manage.py", "contest_create", bundle, "--organiser", "oni", "--known-seeds"])
    wait_for(lambda: _is_judged(place, database), 300, "the house entry is checked, scored and attacked")
    status, page = _get(place, "/")
    assert status == 200 and "A contest in a box" in page
    status, page = _get(place, "/contests/packed/practice/")
    assert status == 200 and "identity" in page


def _is_judged(place: Composed, database: str) -> bool:
    assert place.ended() == []
    with psycopg.connect(database) as connection:
        broken = connection.execute("SELECT kind, error FROM contest_job WHERE state = 'failed'").fetchall()
        assert broken == []
        judged = connection.execute(
            "SELECT 1 FROM contest_attackrun AS run JOIN contest_entry AS entry ON entry.id = run.entry_id "
            "JOIN contest_score AS score ON score.entry_id = entry.id "
            "WHERE run.state = 'done' AND entry.state = 'valid'"
        ).fetchone()
    return judged is not None
