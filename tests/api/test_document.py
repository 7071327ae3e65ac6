"""The OpenAPI document holds: whatever is sent, by whom, the answer is one that the document names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from config.wsgi import application
from contest.api.document import build_document
from tests.api.conftest import World, house_attack

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
EXAMPLES = 3
ROLES = ("visitor", "tanuki", "oni", "tengu")


def closing_application(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    """The application, with the files behind its answers closed, as a server does."""
    response = application(environ, start_response)
    try:
        return [b"".join(response)]
    finally:
        response.close()


@pytest.fixture
def one_connection() -> Iterator[None]:
    """Let requests use the test's own connection, as Django's client does."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.mark.slow
def test_no_answer_is_a_500_or_undocumented(world: World, one_connection: None) -> None:
    """Paths name things that exist half of the time, so that the bodies behind them are reached too."""
    schema = schemathesis.openapi.from_dict(build_document())
    schema.app = closing_application
    known = {
        "slug": "demo",
        "round_slug": "practice",
        "entry_id": world.entry.pk,
        "attack_id": house_attack(world.round).pk,
        "name": "M.csv",
    }
    # Compressed answers are not unpacked on the way through WSGI.
    headers = [{**world.callers[role].headers, "accept-encoding": "identity"} for role in ROLES]
    for found in schema.get_all_operations():
        _caller(found.ok(), known, headers)()


def _caller(operation, known, everybodys_headers):
    """Requests of an operation, which take long to draw: each is sent by everybody, to the same world."""
    numbers = iter(range(10**6))

    @seed(2016)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def call(case) -> None:
        if next(numbers) % 3 != 2:
            for name in case.path_parameters or {}:
                case.path_parameters[name] = known.get(name, case.path_parameters[name])
        for headers in everybodys_headers:
            with transaction.atomic():
                case.call_and_validate(headers=headers, checks=CHECKS)
                transaction.set_rollback(True)

    return call
