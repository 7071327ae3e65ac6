"""Every route × every role × own and foreign things: the expected status only, and no change by refusal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.core.cache import cache
from django.db import connection, transaction
from django.http import HttpResponseBase

from contest.models import Contest
from contest.records.audit import extend_chain
from tests.security.routes import ACTS, PAGES, Route, expected_reading, routes
from tests.security.world import ELSEWHERE, ROLES, SCOPES, World, make_world

pytestmark = pytest.mark.django_db

COUNTERS = {"Knock", "LogIn"}
"""What throttles count: a refusal is what they are there to remember."""


@pytest.fixture
def world(settings) -> Iterator[World]:
    settings.API_RATES = {"anonymous": None, "token": None, "write": None}
    settings.OIDC_PROVIDERS = ELSEWHERE
    cache.clear()
    world = make_world()
    # A test's transaction never ends, so the log's chains are extended here as they are after each commit.
    for key in (None, *Contest.objects.values_list("pk", flat=True)):
        extend_chain(key)
    yield world
    cache.clear()


def rows() -> tuple[int, ...]:
    """How many rows every table of the contest holds, by one query."""
    models = apps.get_app_config("contest").get_models()
    tables = [model._meta.db_table for model in models if model.__name__ not in COUNTERS]
    with connection.cursor() as cursor:
        cursor.execute("SELECT " + ", ".join(f"(SELECT count(*) FROM {table})" for table in tables))
        return tuple(cursor.fetchone())


def ask(world: World, role: str, method: str, path: str, **options: Any) -> Any:
    """One request whose effect on the database is taken back."""
    client = world.browser(role, csrf=options.pop("csrf", False))
    headers = world.headers(role) if path.startswith("/api/") else {}
    with transaction.atomic():
        before = rows()
        answer = getattr(client, method)(path, headers=headers, **options)
        if answer.streaming:
            list(answer.streaming_content)
        answer.changed = rows() != before
        transaction.set_rollback(True)
    return answer


def outcome(answer: HttpResponseBase) -> object:
    if answer.status_code != 302:
        return answer.status_code
    return "in" if "/login/" in answer["Location"] else "on"


def pages() -> list[Route]:
    return [route for route in routes() if not route.is_api]


def is_hidden(answer: HttpResponseBase) -> bool:
    return answer.status_code in (401, 404, 405) or outcome(answer) == "in"


def test_reading_a_page_answers_each_role_as_the_table_says_and_changes_nothing(world: World) -> None:
    wrong = []
    for route in pages():
        answers = [ask(world, role, "get", route.path(world)) for role in ROLES]
        found = tuple(outcome(answer) for answer in answers)
        if found not in expected_reading(route):
            wrong.append(f"{route.name}: {found}, expected {expected_reading(route)}")
        assert not any(answer.changed for answer in answers), f"GET {route.name} changes something"
    assert not wrong, "\n".join(wrong)


def test_posting_to_a_page_answers_each_role_as_the_table_says(world: World) -> None:
    wrong = []
    for route in pages():
        answers = {role: ask(world, role, "post", route.path(world)) for role in ROLES}
        found = tuple(outcome(answer) for answer in answers.values())
        if route.name in ACTS and found != ACTS[route.name]:
            wrong.append(f"{route.name}: {found}, expected {ACTS[route.name]}")
        if route.name not in ACTS:
            # Without a line of its own: the organiser's pages are for the organiser, the account's for all
            # who have one, and nothing else takes a POST.
            others = set(found[1:4] + found[5:]) if "/organise/" in route.pattern else set(found[1:])
            allowed = {"on", 200, 422} if route.pattern.startswith("account/") else set()
            if found[0] not in ("in", 404, 405) or not others <= {404, 405} | allowed:
                wrong.append(f"{route.name}: {found}, expected 404 or 405")
        for role, answer in answers.items():
            if answer.status_code in (401, 403, 404, 405, 422) or outcome(answer) == "in":
                assert not answer.changed, f"{route.name} was refused to {role} and changed something"
    assert not wrong, "\n".join(wrong)


def test_no_page_acts_on_a_request_from_elsewhere(world: World) -> None:
    """Without the form's own token a POST is refused, whoever sends it."""
    for route in pages():
        if route.name in ACTS:
            for role in ("owner", "organiser"):
                answer = ask(world, role, "post", route.path(world), csrf=True)
                assert answer.status_code == 403, (route.name, role)
                assert not answer.changed


def test_a_hidden_contest_is_not_there_for_anybody_but_its_organiser(world: World) -> None:
    """Every route with a contest in it, reading and writing: no answer tells it from one that is not."""
    for route in routes():
        if "slug" not in route.parameters:
            continue
        hidden, absent = route.path(world, "hidden-contest"), route.path(world, "no-such-contest")
        for role in ("visitor", "owner", "organiser", "staff"):
            for method in ("get", "post"):
                answer = ask(world, role, method, hidden)
                assert is_hidden(answer), (route.name, role, method, answer.status_code)
                assert not answer.changed
                if role == "owner":
                    assert outcome(ask(world, role, method, absent)) == outcome(answer), route.name


def test_things_of_one_contest_do_not_answer_under_another(world: World) -> None:
    """The hidden contest's organiser asks there for the open contest's entries, attacks, teams."""
    for route in routes():
        objects = [name for name in route.parameters if name.endswith("_id")]
        if "slug" not in route.parameters or not objects:
            continue
        for method in ("get", "post", "delete"):
            answer = ask(world, "stranger", method, route.path(world, "hidden-contest"))
            assert answer.status_code in (404, 405), (route.name, method, answer.status_code)
            assert not answer.changed


def test_a_session_does_not_open_the_api_and_a_token_no_page(world: World) -> None:
    by_session = world.browser("organiser").post(
        "/api/v1/contests/open-contest/announcements/", {"title": "x"}
    )
    assert by_session.status_code == 401
    by_token = world.browser("visitor").get("/tokens/", headers=world.headers("owner"))
    assert outcome(by_token) == "in"


def test_a_token_does_what_its_scope_says_and_no_more(world: World) -> None:
    for route in routes():
        if not route.is_api or route.name in ("api-schema", "api-docs", "api-entry-check"):
            continue
        path = route.path(world)
        for method in ("get", "post", "delete"):
            whole = ask(world, "owner", method, path).status_code
            if whole == 405:
                continue
            allowed = {scope: ask(world, scope, method, path).status_code != 403 for scope in SCOPES}
            if route.name == "api-me":
                assert all(allowed.values())  # Every token may ask what it is.
            elif method == "get":
                assert not allowed["submit"] or not allowed["organise"], route.name
            else:
                assert not allowed["read"], (route.name, method)
                assert sum(allowed.values()) == 1, (route.name, method, allowed)


def test_staff_may_not_look_into_the_contests_of_others(world: World) -> None:
    path = world.filled("/contests/open-contest/practice/entries/DRAFT/")
    assert ask(world, "staff", "get", path).status_code == 404
    assert ask(world, "staff", "get", "/contests/hidden-contest/").status_code == 404


def test_every_route_has_its_line() -> None:
    unknown = {route.name for route in pages() if not expected_reading(route)}
    assert unknown == set(), "say in tests/security/routes.py who may see these"
    names = {route.name for route in pages()}
    assert set(PAGES) | set(ACTS) <= names
