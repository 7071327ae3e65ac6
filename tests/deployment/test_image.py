"""The images are built, and an installation started from them plays: what docker/ promises, done for real."""

from __future__ import annotations

import http.client
import re
from pathlib import Path

import psycopg
import pytest

from attacks.sandbox.world import OFFERED
from tests.deployment.composed import HOST, Composed, composed
from tests.deployment.images import Builder, builder
from tests.services.installation import wait_for
from tests.services.servers import Postgres, Redis, private_server

pytestmark = [pytest.mark.service, pytest.mark.slow, pytest.mark.timeout(1800)]
STARTED = ("web", "sweeper", "checks", "scoring", "attacks")
ORGANISER = "from contest.models import User; User.objects.create_user('oni', 'oni@example.org')"
BUNDLE = """\
kakurenbo: 1
slug: packed
title: A contest in a box
summary: Played from the image.
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
UNWANTED = """
import importlib.util, pathlib
found = [name for name in ("pip", "setuptools", "pytest", "tests") if importlib.util.find_spec(name)]
left_out = ["/etc/pip.conf", "/opt/tools", "/tmp/build"]
left_out += [f"/srv/kakurenbo/{name}" for name in (".git", ".venv", "docker", "docs", "tests", "var")]
found += [name for name in left_out if pathlib.Path(name).exists()]
found += map(str, pathlib.Path("/srv/kakurenbo").rglob("__pycache__"))
print(found)
"""


def test_the_images_are_built_and_an_installation_started_from_them_plays(tmp_path: Path) -> None:
    with builder(tmp_path) as images:
        images.build_images()
        _an_installation_plays(images, tmp_path)
        _the_sandbox_image_offers_its_libraries_and_no_more(images)


def _an_installation_plays(images: Builder, folder: Path) -> None:
    with (
        private_server(Postgres) as postgres,
        private_server(Redis) as redis,
        images.container("kakurenbo") as container,
    ):
        with psycopg.connect(postgres.url("postgres"), autocommit=True) as admin:
            admin.execute("CREATE DATABASE kakurenbo")
        urls = {
            "database_url": postgres.url(),
            "attacks_database_url": postgres.url().replace("kakurenbo@", "kakurenbo_attacks@", 1),
        }
        with composed(images, container, folder, urls) as place:
            assert isinstance(redis, Redis)
            redis.restart_with_users(place.secret("redis_users"))
            for name in ("broker_url", "attacks_broker_url", "cache_url"):
                place.change_secret(name, redis.at(place.secret(name)))
            assert place.run("web", ["python", "-c", UNWANTED]) == "[]"
            assert place.run("web", ["id", "--user"]) == "10001"
            assert _owners_of_the_stores(place) == {"10001 700"}
            place.run("migrate", place.command("migrate"))
            for service in STARTED:
                place.start(service)
            wait_for(lambda: _status(place, "/readyz") == 200, 300, "the image's web server is ready")
            place.run("web", place.services["web"]["healthcheck"]["test"][1:])
            _pages_are_served(place)
            _a_contest_is_played(place, postgres.url())
            assert place.ended() == []
            assert {service: place.stop(service) for service in STARTED} == dict.fromkeys(STARTED, 0)


def _owners_of_the_stores(place: Composed) -> set[str]:
    """Those in the image, which a new volume takes over."""
    stores = {volume.split(":")[1] for volume in place.services["web"]["volumes"]}
    return set(place.builder.output(place.container, ["stat", "--format=%u %a", *stores]).splitlines())


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
    bundle = "/var/lib/kakurenbo/files/entries/bundle.yaml"
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


def _the_sandbox_image_offers_its_libraries_and_no_more(images: Builder) -> None:
    offered = ["sklearn" if name == "scikit-learn" else name for name in OFFERED]
    code = (
        f"import importlib.util as it, os; [__import__(name) for name in {offered!r}]; "
        "print(os.getuid(), it.find_spec('pip'), it.find_spec('django'))"
    )
    with images.container("kakurenbo-sandbox") as container:
        assert images.output(container, ["python3", "-c", code]) == "61001 None None"
