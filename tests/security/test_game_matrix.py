"""Rounds of games: what the wrong person sends, or the right one in the wrong phase, changes nothing.

Each act is sent with a body that is accepted from the right person in the right phase, so a refusal is about
who asks and when. Every route of such rounds is also sent an empty body.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.apps import apps
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction

from contest.models import Attack, Entry, GamePackage, Trial
from tests.factories import as_zip
from tests.game_rounds import attack_files, method_files
from tests.game_versions import mini
from tests.security.game_routes import addresses, contest_routes, round_routes
from tests.security.game_world import PHASES, GameWorld, install_games, make_game_world, set_phase
from tests.security.routes import Route
from tests.security.test_matrix import COUNTERS
from tests.security.world import ROLES

pytestmark = pytest.mark.django_db

REFUSED = {401, 403, 404, 405, 409, 422}
Body = Callable[[GameWorld], dict[str, Any]]
PROGRAM = b"import sys\n"


@dataclass(frozen=True)
class Act:
    """``by`` may do it in the phases ``when``; ``body`` is what they send."""

    path: Callable[[GameWorld], str]
    by: str
    when: tuple[str, ...]
    body: Body = lambda world: {}


def zip_of(files: dict[str, bytes]) -> SimpleUploadedFile:
    return SimpleUploadedFile("files.zip", as_zip(files), "application/zip")


def round_page(name: str, game: str = "pair") -> Callable[[GameWorld], str]:
    return lambda world: world.rounds[game].get_absolute_url() + name.format(**things(world, game))


def round_api(name: str, game: str = "pair") -> Callable[[GameWorld], str]:
    return lambda world: f"/api/v1/contests/open-contest/rounds/{game}/" + name.format(**things(world, game))


def organisers_page(name: str) -> Callable[[GameWorld], str]:
    return lambda world: "/contests/open-contest/organise/" + name.format(**things(world, "mini"))


def things(world: GameWorld, game: str) -> dict[str, int]:
    """The owners' entry and answer, the organisers' newest game, and its trial."""
    mine = {"round": world.rounds[game], "team": world.teams["owner"]}
    newest = GamePackage.objects.filter(contest=world.rounds[game].contest).latest("pk")
    trial = Trial.objects.filter(round__contest=world.rounds[game].contest).first()
    return {
        "entry": Entry.objects.get(**mine, is_official=True).pk,
        "attack": Attack.objects.get(**mine).pk,
        "game": newest.pk,
        "trial": trial.pk if trial else 0,
    }


def entry_body(world: GameWorld) -> dict[str, Any]:
    files = method_files(world.rounds["pair"], world.teams["owner"], seed="another")
    return {"archive": zip_of(files), "note": "", "slot": "", "variant": "0"}


def answer_body(world: GameWorld) -> dict[str, Any]:
    files = attack_files(world.rounds["pair"], world.teams["owner"], "by-age")
    return {"archive": zip_of(files), "note": ""}


def program_body(world: GameWorld) -> dict[str, Any]:
    return {"program": SimpleUploadedFile("anonymize.py", PROGRAM), "note": "", "slot": "", "variant": "0"}


def seeker_body(world: GameWorld) -> dict[str, Any]:
    return {"program": SimpleUploadedFile("reidentify.py", PROGRAM)}


def game_body(world: GameWorld) -> dict[str, Any]:
    other = mini(("game.yaml", '"1.0"', '"7.0"'))
    return {name: SimpleUploadedFile("game.zip", other, "application/zip") for name in ("game", "archive")}


BEFORE_COUNTING = ("before", "anonymise", "attack")
ANY = PHASES
ACTS: dict[str, Act] = {
    "upload": Act(round_page("upload/"), "owner", ("anonymise",), entry_body),
    "guesses": Act(round_page("seek/guesses/"), "owner", ("attack",), answer_body),
    "answer_pin": Act(round_page("attacks/{attack}/pin/"), "owner", BEFORE_COUNTING),
    "note": Act(round_page("entries/{entry}/note/"), "owner", ANY, lambda world: {"note": "another"}),
    "api-entries": Act(round_api("entries/"), "owner", ("anonymise",), entry_body),
    "api-answers": Act(round_api("answers/"), "owner", ("attack",), answer_body),
    "api-guesses": Act(round_api("guesses/"), "owner", ("attack",), answer_body),
    "api-answer-pin": Act(round_api("attacks/{attack}/pin/"), "owner", BEFORE_COUNTING),
    "api-note": Act(round_api("entries/{entry}/note/"), "owner", ANY, lambda world: {"note": "another"}),
    "api-hiders": Act(round_api("hiders/"), "owner", ("anonymise",), program_body),
    "api-programs": Act(round_api("programs/"), "owner", ("attack",), seeker_body),
    "organise_upload_game": Act(organisers_page("games/upload/"), "organiser", ANY, game_body),
    "organise_game_again": Act(organisers_page("games/{game}/again/"), "organiser", ANY),
    "organise_decide_trial": Act(
        organisers_page("games/trials/{trial}/decide/"),
        "organiser",
        ANY,
        lambda world: {"decision": "discard", "act": "discard", "reason": "no"},
    ),
    "api-contest-games": Act(
        lambda world: "/api/v1/contests/open-contest/games/", "organiser", ANY, game_body
    ),
    "api-game-rounds": Act(
        lambda world: "/api/v1/contests/open-contest/games/rounds/",
        "organiser",
        ANY,
        lambda world: {"game": "snake", "preset": "snake1", "round_name": "More", "round_slug": "more"},
    ),
}
"""What is sent to routes of rounds of games."""


@pytest.fixture
def world(settings: Any, monkeypatch: pytest.MonkeyPatch) -> GameWorld:
    settings.API_RATES = {"anonymous": None, "token": None, "write": None}
    install_games(monkeypatch)
    cache.clear()
    return make_game_world(("pair", "mini"))


def contents() -> str:
    """A hash of every row of every table, but for the note of when a token was last used."""
    digest = hashlib.sha256()
    with connection.cursor() as cursor:
        for model in apps.get_app_config("contest").get_models():
            if model.__name__ not in {*COUNTERS, "ApiToken"}:
                cursor.execute(f"SELECT * FROM {model._meta.db_table} ORDER BY 1")
                digest.update(repr((model.__name__, cursor.fetchall())).encode())
    return digest.hexdigest()


def send(world: GameWorld, role: str, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
    """One request; whether it changed anything is in ``changed``, and it is taken back."""
    client = world.browser(role)
    headers = world.headers(role) if path.startswith("/api/") else {}
    given: dict[str, Any] = {"data": body or {}} if method == "post" else {}
    with transaction.atomic():
        before = contents()
        answer = getattr(client, method)(path, headers=headers, **given)
        if answer.streaming:
            list(answer.streaming_content)
        answer.changed = contents() != before
        transaction.set_rollback(True)
    return answer


@pytest.mark.parametrize("name", ACTS)
def test_an_act_is_for_its_people_in_its_phases(world: GameWorld, name: str) -> None:
    act = ACTS[name]
    wrong = []
    set_phase(world, "attack")
    # Bodies are made while everything may be read.
    for phase in PHASES:
        set_phase(world, phase)
        for role in ROLES if phase in act.when[-1:] else {act.by, "rival", "visitor"}:
            body = act.body(world) if act.body else {}
            answer = send(world, role, "post", act.path(world), body)
            accepted = answer.changed and answer.status_code not in REFUSED
            if accepted != (role == act.by and phase in act.when) and not (
                # Other teams may hand in for themselves.
                role == "rival" and phase in act.when and act.path(world).endswith(OF_ANY_TEAM)
            ):
                wrong.append(f"{role}, {phase}: {answer.status_code}, changed: {answer.changed}")
            if answer.status_code in REFUSED and answer.changed:
                wrong.append(f"{role}, {phase}: refused by {answer.status_code}, and changed something")
    assert not wrong, "\n".join(wrong)


OF_ANY_TEAM = ("upload/", "guesses/", "entries/", "answers/", "hiders/", "programs/")
"""Where every team may send something of its own."""
OUTSIDE = ("visitor", "loner", "stranger", "staff")


def test_people_outside_the_contest_change_nothing_by_any_method(world: GameWorld) -> None:
    """Every route of rounds and games, with an empty body: only players and organisers do anything."""
    wrong = []
    for path, route in sent_to(world).items():
        for role, method in [(role, "post") for role in OUTSIDE] + [
            ("stranger", m) for m in ("put", "patch", "delete")
        ]:
            answer = send(world, role, method, path)
            if answer.changed or answer.status_code >= 500:
                wrong.append(f"{role} {method} {route.name}: {answer.status_code}")
    assert not wrong, "\n".join(wrong)


def sent_to(world: GameWorld) -> dict[str, Route]:
    """One address of every route of rounds and of games."""
    found = {}
    for route in [*round_routes(), *contest_routes()]:
        if is_of_games(route):
            of_rounds = (addresses(route, world, world.rounds[name]) for name in ("mini", "pair"))
            found[next(path for paths in of_rounds for path in paths)] = route
    return found


def is_of_games(route: Route) -> bool:
    return "round_slug" in route.parameters or "game" in route.pattern


def test_what_players_are_refused_changes_nothing_either(world: GameWorld) -> None:
    wrong = []
    for path, route in sent_to(world).items():
        for role in ("owner", "rival", "organiser"):
            answer = send(world, role, "post", path)
            if answer.status_code >= 500 or (answer.status_code in REFUSED and answer.changed):
                wrong.append(f"{role} {route.name}: {answer.status_code}")
            if role != "organiser" and "organise" in route.pattern and answer.changed:
                wrong.append(f"{role} changes something at {route.name}")
    assert not wrong, "\n".join(wrong)
