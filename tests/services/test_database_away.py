"""While the database is away every route says so with 503 and when to come back, in its own shape."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.cache import cache
from django.core.files.storage import storages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import InterfaceError, OperationalError, connection

from contest.models import Entry
from contest.operations import processes
from contest.operations.readiness import STORES
from tests.deployment.chaos import Installation
from tests.factories import as_zip, entry_files
from tests.load.people import call
from tests.security.routes import routes
from tests.security.world import World, make_world
from tests.services.installation import wait_for
from tests.services.servers import Postgres, Redis, private_server

pytestmark = pytest.mark.once


@pytest.fixture
def world(settings) -> Iterator[World]:
    settings.API_RATES = {"anonymous": None, "token": None, "write": None}
    cache.clear()
    made = make_world()
    for role in ("owner", "organiser"):
        made.browser(role)
    yield made
    cache.clear()


def away(error: type[Exception], only: str = "") -> Any:
    def refuse(execute: Any, sql: str, parameters: Any, many: bool, context: Any) -> Any:
        if only in sql:
            raise error("server closed the connection unexpectedly, password=swordfish")
        return execute(sql, parameters, many, context)

    return connection.execute_wrapper(refuse)


def ask(world: World, role: str, method: str, path: str, data: Any = None) -> Any:
    headers = world.headers(role) if path.startswith("/api/") else {}
    answer = getattr(world.browser(role), method)(path, data, headers=headers)
    if answer.streaming:
        list(answer.streaming_content)
    return answer


@pytest.mark.django_db
@pytest.mark.parametrize("error", [OperationalError, InterfaceError])
def test_no_route_answers_with_a_fault_of_ours(world: World, error: type[Exception]) -> None:
    wrong = []
    asked = {
        (role, method, route.name): route.path(world)
        for route in routes()
        for role in ("visitor", "owner", "organiser")
        for method in ("get", "post")
    }
    with away(error):
        for (role, method, name), path in asked.items():
            answer = ask(world, role, method, path)
            if answer.status_code == 503:
                assert b"swordfish" not in answer.content
                if name not in ("healthz", "readyz"):
                    assert answer["Retry-After"] == "60", name
                if path.startswith("/api/"):
                    assert answer.json()["error"]["code"] == "database-unavailable"
            elif answer.status_code >= 500:
                wrong.append(f"{role} {method} {name}: {answer.status_code}")
        assert ask(world, "owner", "get", "/healthz").content == b"database FAILED\n"
        page = ask(world, "owner", "get", world.round.get_absolute_url())
        assert page.status_code == 503 and b"<h1>" in page.content
    assert not wrong, "\n".join(wrong)


def stored() -> dict[str, bytes]:
    found = {}
    for alias in STORES:
        for path in Path(storages[alias].location).rglob("*"):  # type: ignore[attr-defined]
            if path.is_file():
                found[path.name] = path.read_bytes()
    return found


@pytest.mark.django_db
@pytest.mark.parametrize("only", ["", 'INSERT INTO "contest_entry"', 'INSERT INTO "contest_job"'])
def test_an_upload_leaves_nothing_half_written(world: World, only: str) -> None:
    before = Entry.objects.count()
    content = as_zip(entry_files("swap", 4711 + len(only)))
    pages = f"{world.round.get_absolute_url()}upload/"
    api = f"/api/v1/contests/{world.round.contest.slug}/rounds/{world.round.slug}/entries/"
    for path in (pages, api):
        with away(OperationalError, only):
            answer = ask(world, "owner", "post", path, {"archive": SimpleUploadedFile("e.zip", content)})
        assert (answer.status_code, answer["Retry-After"]) == (503, "60"), path
    assert Entry.objects.count() == before
    assert all(hashlib.sha256(data).hexdigest() == name for name, data in stored().items())


@pytest.mark.service
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_real_server_survives_its_database(tmp_path: Path) -> None:
    """PostgreSQL is killed while the web process runs, and comes back: the same process answers again."""
    with private_server(Postgres) as postgres, private_server(Redis) as redis:
        with psycopg.connect(postgres.url("postgres"), autocommit=True) as admin:
            admin.execute("CREATE DATABASE kakurenbo")
        place = Installation(postgres.url(), redis.url(), tmp_path)
        place.commands["web"] = processes.web(f"127.0.0.1:{place.port}")
        place.python("import django; django.setup()\nfrom django.core.management import call_command\n"
                     "call_command('migrate', verbosity=0)\n"
                     "call_command('collectstatic', verbosity=0, interactive=False)")  # fmt: skip
        place.start("web")
        try:
            wait_for(lambda: status(place.port, "/readyz") == 200, 180, "the site is ready")
            postgres.kill()
            for path in ("/", "/healthz", "/api/v1/contests/"):
                wait_for(lambda path=path: status(place.port, path) == 503, 60, f"{path} says 503")  # type: ignore[misc]
            assert b"database FAILED" in call(place.port, "GET", "/readyz")[1]
            postgres.start()
            wait_for(lambda: status(place.port, "/readyz") == 200, 60, "it is ready again")
            assert status(place.port, "/") == 200
        finally:
            place.kill("web")


def status(port: int, path: str) -> int:
    try:
        return call(port, "GET", path)[0]
    except OSError:
        return 0
