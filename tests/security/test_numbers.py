"""Numbers of every size and script in every address, form, query and body: never an error of ours."""

from __future__ import annotations

import itertools
import json
import re
import sys
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

import pytest
from django.core.cache import cache
from django.db import transaction
from django.urls import Resolver404, resolve
from drf_spectacular.generators import SchemaGenerator

from contest.numbers import LARGEST, whole_number
from tests.conftest import ROOT
from tests.security.routes import PARAMETER, Route, routes, sample
from tests.security.world import World, make_world

pytestmark = pytest.mark.django_db

HOSTILE = (
    "9" * 5000, "9" * 18, str(LARGEST), str(LARGEST + 1), str(2**31), str(2**64), "-1", "-" + "9" * 5000, "0",
    "٣", "１７", "²", "1e400", "0x10", "1_000", " 7 ", "NaN", "+5", "1.5", "\x00",
)  # fmt: skip
FEW = ("9" * 5000, str(LARGEST + 1), "-1", "٣", "\x00")
READ_BY_HAND = re.compile(r"""\.(?:GET|POST)\.(?:get|getlist)\("(\w+)\"""")
FIELD = re.compile(rb"""<(?:input|select|textarea)\b[^>]*\bname="([^"]+)\"""")


@pytest.fixture
def world(settings) -> Iterator[World]:
    settings.API_RATES = {"anonymous": None, "token": None, "write": None}
    settings.KNOCKS_AN_HOUR = 10**6
    cache.clear()
    yield make_world()
    cache.clear()


class Sweep:
    """Asks, takes back what it changed, and remembers what went wrong on our side."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.faults: list[str] = []
        self.asked = 0
        self.status = 0

    def ask(self, role: str, method: str, path: str, data: Any = None, **options: Any) -> bytes:
        client = self.world.browser(role)
        headers = self.world.headers(role) if path.startswith("/api/") else {}
        with transaction.atomic():
            answer = getattr(client, method)(path, data, headers=headers, **options)
            body = b"".join(answer.streaming_content) if answer.streaming else answer.content
            transaction.set_rollback(True)
        self.asked += 1
        self.status = answer.status_code
        if answer.status_code >= 500:
            error = getattr(answer, "exc_info", None)
            fault = f"{error[0].__name__}: {str(error[1])[:100]}" if error else str(body[:200])
            self.faults.append(f"{role} {method} {path[:100]} {str(data)[:80]}: {fault}")
        return body


def hostile_paths(world: World, route: Route) -> Iterator[str]:
    """The route with each of its parameters, one after the other, as every hostile number."""
    known = [(name, sample(world, name, "open-contest")) for name in route.parameters]
    numeric = [name for kind, name in PARAMETER.findall(route.pattern) if kind == "int"]
    for chosen, number in [
        (name, number) for name, _ in known for number in (HOSTILE if name in numeric else FEW)
    ]:
        values = {**dict(known), chosen: number.replace("\x00", "%00").replace(" ", "%20")}
        yield "/" + PARAMETER.sub(lambda found, values=values: values[found[2]], route.pattern)


def has_route(path: str) -> bool:
    try:
        resolve(unquote(path))
    except Resolver404:
        return False
    return True


def names_read_by_hand() -> dict[str, set[str]]:
    """By the module that reads them."""
    found = {}
    for path in sorted((ROOT / "contest").rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        found[module] = set(READ_BY_HAND.findall(path.read_text(encoding="utf-8")))
    return found


def read_behind(path: str, by_hand: dict[str, set[str]]) -> set[str]:
    """The names that the view of an address reads: those of its module and of all that the module imports."""
    try:
        view = vars(sys.modules[resolve(path).func.__module__])
    except Resolver404:
        return set()
    imported = (
        getattr(value, "__module__", None) or getattr(value, "__name__", "") for value in view.values()
    )
    modules = {view["__name__"], *imported}
    return set().union(*(names for module, names in by_hand.items() if module in modules))


def test_a_number_in_an_address(world: World) -> None:
    sweep = Sweep(world)
    for route in routes():
        for path in hostile_paths(world, route):
            # Where no route has the address, nobody looks at the method.
            for method in ("get", "post") if has_route(path) else ("get",):
                sweep.ask("organiser", method, path)
    assert sweep.asked > 1000
    assert not sweep.faults, "\n".join(sweep.faults)


def test_a_number_in_a_query(world: World) -> None:
    """Every name that a view reads or a form of the page has, all at once, as page and as poll."""
    sweep = Sweep(world)
    by_hand = set().union(*names_read_by_hand().values())
    assert {"page", "version", "run"} <= by_hand
    for route in routes():
        path = route.path(world)
        names = by_hand | {name.decode() for name in FIELD.findall(sweep.ask("organiser", "get", path))}
        for number in FEW[:3]:
            query = dict.fromkeys(names, number)
            sweep.ask("organiser", "get", path, query)
            sweep.ask("owner", "get", path, query, HTTP_HX_REQUEST="true")
    assert not sweep.faults, "\n".join(sweep.faults)


def test_a_number_in_a_form(world: World) -> None:
    """All fields of a page's forms at once, and alone each that a view reads without a form."""
    sweep = Sweep(world)
    by_hand = names_read_by_hand()
    everything = set().union(*by_hand.values())
    alone = 0
    for route in routes():
        role = "organiser" if "/organise/" in route.pattern else "owner"
        path = route.path(world)
        sweep.ask(role, "post", path)
        if route.is_api or sweep.status == 405:
            continue
        names = {name.decode() for name in FIELD.findall(sweep.ask(role, "get", path))} | everything
        for number in FEW:
            sweep.ask(role, "post", path, dict.fromkeys(names, number))
        for name, number in itertools.product(sorted(read_behind(path, by_hand)), FEW[:2]):
            sweep.ask(role, "post", path, {name: number})
            alone += 1
    assert alone > 10
    assert not sweep.faults, "\n".join(sweep.faults)


def as_json(names: list[str], number: str) -> Iterator[str]:
    """The number as text, and as a number where JSON has it."""
    yield json.dumps(dict.fromkeys(names, number))
    if re.fullmatch(r"-?\d+|1e400|NaN|1\.5", number, re.ASCII):
        yield "{" + ", ".join(f'"{name}": {number}' for name in names) + "}"
        yield "{" + ", ".join(f'"{name}": [{number}]' for name in names) + "}"


def test_a_number_in_the_api(world: World) -> None:
    """All fields that the schema names for a route at once, and each alone."""
    sweep = Sweep(world)
    schema = SchemaGenerator().get_schema(request=None, public=True)
    parts = schema["components"]["schemas"]
    by_path = schema["paths"]
    for route in routes():
        if not route.is_api:
            continue
        template = "/" + PARAMETER.sub(lambda found: "{" + found[2] + "}", route.pattern)
        for method, operation in by_path.get(template, {}).items():
            path = route.path(world)
            query = [item["name"] for item in operation.get("parameters", []) if item["in"] == "query"]
            content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
            shape = parts.get(content.get("schema", {}).get("$ref", "").rpartition("/")[2], {})
            names = sorted(shape.get("properties", {}))
            for number in FEW:
                if method == "get":
                    sweep.ask("organiser", "get", path, dict.fromkeys(query, number))
                    continue
                alone = [[name] for name in names] if number in FEW[:2] else []
                for chosen in [names, *alone]:
                    for body in as_json(chosen, number):
                        sweep.ask("organiser", method, path, body, content_type="application/json")
    assert sweep.asked > 1000
    assert not sweep.faults, "\n".join(sweep.faults)


def test_a_length_of_thousands_of_digits(world: World) -> None:
    for number in HOSTILE:
        answer = world.browser("visitor").post(
            "/login/", b"x", content_type="text/plain", CONTENT_LENGTH=number
        )
        assert answer.status_code < 500, number


def test_whole_numbers_are_those_that_a_database_holds() -> None:
    assert [whole_number(number) for number in HOSTILE] == [
        None, 10**18 - 1, LARGEST, None, 2**31, None, None, None, 0, *[None] * 11,
    ]  # fmt: skip
