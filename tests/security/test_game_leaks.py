"""Rounds of games: on every route, for everybody, in every phase, only what this reader may have comes out.

Every secret is replaced by a mark before anything is read (`game_secrets`); every route is filled with
everything that a round has (`game_routes`), so a new one is in this crawl as soon as it has an address.
"""

from __future__ import annotations

import io
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.cache import cache
from django.db import transaction

from contest.board import single_flight_cache
from contest.models import Round
from tests.security.crawl import CHANGING
from tests.security.game_routes import addresses, contest_routes, round_routes
from tests.security.game_secrets import Secret, poison, replace_hidden_results
from tests.security.game_world import PHASES, GameWorld, install_games, make_game_world, set_phase
from tests.security.routes import Route
from tests.security.world import ROLES

pytestmark = pytest.mark.django_db

LOOKING = ("visitor", "rival", "owner", "organiser")
MEASURED = {"operations", "metrics", "healthz", "readyz", "organise_operations", "api-queues"}
"""Routes that measure the machine, so that no two looks are alike: they are searched for marks only."""
UNLIKE = {"Date", "Expires", "X-Request-ID", "Set-Cookie"}
"""Headers that no two answers share."""
Look = dict[str, tuple[Route, int, bytes]]


@pytest.fixture
def world(settings: Any, monkeypatch: pytest.MonkeyPatch) -> GameWorld:
    settings.API_RATES = {"anonymous": None, "token": None, "write": None}
    install_games(monkeypatch)
    return make_game_world()


def places(world: GameWorld) -> dict[str, Route]:
    """Every address of every route once."""
    found: dict[str, Route] = {}
    for number, round_ in enumerate(world.rounds.values()):
        for route in [*round_routes(), *(contest_routes() if number == 0 else [])]:
            found |= dict.fromkeys(addresses(route, world, round_), route)
    return found


def look(world: GameWorld, role: str, where: dict[str, Route]) -> Look:
    """What somebody gets at all these addresses: the status, and headers and body as one text."""
    single_flight_cache.forget_everything()
    cache.clear()
    client, found = world.browser(role), {}
    for path, route in where.items():
        answer: Any = client.get(path, headers=world.headers(role) if route.is_api else {})
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        head = "\n".join(f"{name}: {value}" for name, value in answer.headers.items() if name not in UNLIKE)
        found[path] = (route, answer.status_code, head.encode() + b"\n\n" + body)
    return found


def texts_in(whole: bytes) -> Iterator[bytes]:
    """An answer, and the files of an archive."""
    yield whole
    body = whole.partition(b"\n\n")[2]
    if body[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            for name in archive.namelist():
                yield name.encode()
                yield archive.read(name)


def told(found: Look, secrets: list[Secret]) -> list[str]:
    """Where a secret is."""
    marks = [(mark, secret.what) for secret in secrets for mark in secret.marks]
    everything = b"\0".join(text for _, _, whole in found.values() for text in texts_in(whole))
    present = [(mark, what) for mark, what in marks if mark in everything]
    return [
        f"{what} at {path}"
        for path, (_, _, whole) in found.items()
        for mark, what in present
        if any(mark in text for text in texts_in(whole))
    ]


@pytest.mark.parametrize("phase", PHASES)
def test_no_secret_of_a_round_is_told_to_anybody_who_may_not_have_it(world: GameWorld, phase: str) -> None:
    secrets = poison(world)
    set_phase(world, phase)
    where = places(world)
    leaks, broken, readable = [], [], 0
    for role in ROLES if phase == "attack" else LOOKING:
        found = look(world, role, where)
        broken += [
            f"{status} at {path} for {role}" for path, (_, status, _) in found.items() if status >= 500
        ]
        kept = [secret for secret in secrets if not secret.may(role)]
        leaks += [f"{role}, {phase}: {leak}" for leak in told(found, kept)]
        readable += len(told(found, [secret for secret in secrets if secret.may(role)]))
    assert broken == []
    assert not leaks, "\n".join(leaks)
    # The search can find something: each phase has readers who may read some of it.
    assert readable > 50, readable


VISITS = (("anonymise", "owner"), ("attack", "owner"), ("attack", "organiser"), ("attack", "staff"))
NOT_FOR_GAMES: dict[str, str] = {
    "api-leaderboard": "ranks by people found; a game's boards are under boards/",
    "api-attackers": "ranks by people found; a game's boards are under boards/",
    "api-how": "explains measures of the formats",
    "how": "explains measures of the formats",
    "risk": "reports on tables of the formats",
    "pictures": "nobody knows what the tables of a game mean",
    "entry_picture": "nobody knows what the tables of a game mean",
}
"""Routes of rounds that a round of a game answers with 404 to everybody, and why."""


def test_every_route_of_a_round_shows_somebody_something_or_takes_only_what_is_sent(world: GameWorld) -> None:
    """A route that this crawl cannot fill would be looked at by nobody: say how in `game_routes`."""
    answers: dict[str, set[int]] = defaultdict(set)
    where = {path: route for path, route in places(world).items() if is_of_games(route)}
    for phase, role in VISITS:
        set_phase(world, phase)
        for route, status, _ in look(world, role, where).values():
            answers[route.name].add(status)
    expected = {route.name for route in [*round_routes(), *contest_routes()] if is_of_games(route)}
    assert set(answers) == expected
    unseen = {name for name, statuses in answers.items() if not statuses & {200, 302, 405}}
    assert unseen == set(NOT_FOR_GAMES), " ".join(sorted(unseen ^ set(NOT_FOR_GAMES)))


def is_of_games(route: Route) -> bool:
    """A route that names a round, or something that only games have."""
    return "round_slug" in route.parameters or "game" in route.pattern


def replaced(
    world: GameWorld, role: str, where: dict[str, Route], act: Callable[[GameWorld], None]
) -> list[str]:
    """The addresses whose answers change with something."""
    with transaction.atomic():
        before = look(world, role, where)
        act(world)
        after = look(world, role, where)
        transaction.set_rollback(True)
    return [
        f"{path}: {first_difference(before[path][2], after[path][2])}"
        for path, route in where.items()
        if route.name not in MEASURED and cleaned(before[path][2]) != cleaned(after[path][2])
    ]


def cleaned(whole: bytes) -> bytes:
    return CHANGING.sub(b"", whole)


def first_difference(before: bytes, after: bytes) -> str:
    lines = zip(cleaned(before).splitlines(), cleaned(after).splitlines(), strict=False)
    return next((f"{old!r} → {new!r}" for old, new in lines if old != new), "other lines")


def shown_places(world: GameWorld) -> dict[str, Route]:
    return {path: route for path, route in places(world).items() if "organise" not in route.pattern}


def test_before_the_results_nothing_within_reach_depends_on_what_attacks_found(world: GameWorld) -> None:
    for phase, role in (
        ("anonymise", "rival"),
        ("attack", "visitor"),
        ("attack", "rival"),
        ("attack", "owner"),
    ):
        set_phase(world, phase)
        changed = replaced(world, role, shown_places(world), replace_hidden_results)
        assert not changed, "\n".join([phase, role, *changed])


def test_after_the_results_the_same_look_sees_the_difference(world: GameWorld) -> None:
    set_phase(world, "results")
    changed = replaced(world, "visitor", shown_places(world), replace_hidden_results)
    for round_ in world.rounds.values():
        assert_among(changed, round_, "matrix/"), round_
        assert_among(changed, round_, "board.json")


def assert_among(changed: list[str], round_: Round, name: str) -> None:
    assert any(line.startswith(f"{round_.get_absolute_url()}{name}:") for line in changed), (round_, name)
