"""What is hidden stays hidden, in every phase: pages do not depend on it, and no file of it is within reach.

A page that shows a hidden number, or anything that follows from it, changes when the number changes. So all
that a visitor or another team can reach is read twice, before and after all hidden results were replaced in
the database: not one byte may differ.
"""

from __future__ import annotations

import datetime
import io
import itertools
import re
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from contest.board import single_flight_cache
from contest.files import vault
from contest.models import AttackRun, Entry, Phase, Portrait, Round, Score, Sealed, Signal
from contest.services.entries import pin_entry
from contest.services.team_attacks import submit_guesses
from tests.conftest import ROOT
from tests.factories import entry_files, make_entry, work_off
from tests.security.crawl import CHANGING, crawl
from tests.security.routes import routes
from tests.security.world import ELSEWHERE, HOUSE_SEED, ORDER_SEED, ROLES, SUBJECT, World, make_world

pytestmark = pytest.mark.django_db

DAY = datetime.timedelta(days=1)
OUTSIDERS = ("visitor", "rival")


def api_paths(world: World) -> tuple[str, ...]:
    round_ = "/api/v1/contests/open-contest/rounds/practice/"
    names = (
        "",
        "leaderboard/",
        "matrix/",
        "attackers/",
        f"entries/{world.entry.pk}/",
        f"attacks/{world.attack.pk}/",
    )
    contest = "/api/v1/contests/open-contest/"
    return (
        *(round_ + name for name in names),
        *(contest + name for name in ("events/", "overall/", "awards/", "questions/")),
    )


def reachable(world: World, role: str) -> dict[str, bytes]:
    single_flight_cache.forget_everything()
    cache.clear()
    found = crawl(world.browser(role), ("/", f"/contests/open-contest/practice/entries/{world.entry.pk}/"))
    client = Client()
    for path in api_paths(world):
        found[path] = client.get(path, headers=world.headers(role)).content
    return found


def set_phase(world: World, kind: str, feedback: str) -> None:
    """Let one phase be open now and the others be over or to come, in the contest's order."""
    now = timezone.now()
    order = ["before", Phase.Kind.ANONYMISE, Phase.Kind.ATTACK, Phase.Kind.RESULTS]
    for place, phase in enumerate(order[1:], 1):
        start = now + (place - order.index(kind)) * 2 * DAY - DAY
        Phase.objects.filter(round=world.round, kind=phase).update(starts_at=start, ends_at=start + 2 * DAY)
    frozen = now - DAY if order.index(kind) >= 2 else None
    Round.objects.filter(pk=world.round.pk).update(feedback=feedback, frozen_at=frozen)


def replace_hidden_results() -> None:
    AttackRun.objects.update(
        numbers={"hits": 7, "guesses": 9, "expected_hits": 6.5},
        risk=0.5833,
        low=0.31,
        high=0.81,
        found_rows=[1, 2, 3, 4, 5, 6, 7],
        seconds=9.75,
    )
    Entry.objects.update(numbers={"hits": 7}, strongest_attack="re-replaced", upload_sha256="e" * 64)
    Sealed.objects.update(sha256="f" * 64)


def changed_pages(world: World, role: str, replace: Callable[[], None]) -> list[str]:
    with transaction.atomic():
        before = reachable(world, role)
        replace()
        after = reachable(world, role)
        transaction.set_rollback(True)
    return [
        f"{path}: {first_difference(before.get(path, b''), after.get(path, b''))}"
        for path in sorted((before.keys() | after.keys()) - own_uploads(world, role))
        if before.get(path) != after.get(path)
    ]


def own_uploads(world: World, role: str) -> set[str]:
    """What somebody's own team has sent is not hidden from them; of all others it is."""
    mine = Entry.objects.filter(team__memberships__user=world.people[role]) if role in world.people else ()
    names = ("entry_upload", "api-entry-upload")
    return {
        reverse(name, args=[world.round.contest.slug, entry.round.slug, entry.pk])
        for name in names
        for entry in mine
    }


def first_difference(before: bytes, after: bytes) -> str:
    lines = zip(before.splitlines(), after.splitlines(), strict=False)
    return next((f"{old!r} → {new!r}" for old, new in lines if old != new), "other lines")


@pytest.fixture
def world(settings) -> World:
    settings.API_RATES = {"anonymous": None, "token": None, "write": None}
    settings.OIDC_PROVIDERS = ELSEWHERE
    return make_world("none")


def test_before_the_results_nothing_within_reach_depends_on_hidden_results(world: World) -> None:
    for kind in ("before", "anonymise", "attack"):
        set_phase(world, kind, "none")
        for role in (*OUTSIDERS, "owner") if kind == Phase.Kind.ATTACK else ("rival",):
            assert changed_pages(world, role, replace_hidden_results) == [], (kind, role)


def refused_upload(world: World) -> None:
    make_entry(world.round, world.rivals, {"M.csv": b"broken", "T.csv": b"", "P.csv": b""})
    work_off()


def waiting_upload(world: World) -> None:
    make_entry(world.round, world.rivals, entry_files("swap", 3))


def upload_beside_a_pinned_one(world: World) -> None:
    make_entry(world.round, world.rivals, entry_files("swap", 4))
    work_off()


def waiting_guess(world: World) -> None:
    guess = io.BytesIO(b"-\n" * (world.entry.n_people or 0))
    submit_guesses(world.round, world.rivals, world.people["rival"], {world.entry.pk: guess})


def judged_guess(world: World) -> None:
    waiting_guess(world)
    work_off()


HIDDEN_EVENTS = (refused_upload, waiting_upload, upload_beside_a_pinned_one, waiting_guess, judged_guess)


def versions(world: World, role: str) -> dict[str, object]:
    """What a poll and a program learn about whether a board has changed; memories are as they are."""
    client, headers = world.browser(role), world.headers(role)
    page = "/contests/open-contest/practice/"
    api = "/api/v1/contests/open-contest/rounds/practice/"
    found: dict[str, object] = {}
    for name in ("", "matrix/"):
        text = client.get(page + name).content.decode()
        version = re.search(r"version=([\w-]+)", text)
        assert version
        found[name] = version[1]
        poll = client.get(f"{page}{name}?version={version[1]}", headers={"HX-Request": "true"})
        assert poll.status_code == 204
    overall = "/contests/open-contest/overall"
    found["overall"] = client.get(f"{overall}.json").json()["version"]
    poll = client.get(f"{overall}/?version={found['overall']}", headers={"HX-Request": "true"})
    assert poll.status_code == 204
    tagged = client.get("/api/v1/contests/open-contest/overall/", headers=headers)
    found["overall tag"] = tagged.headers["ETag"]
    exported = client.get(f"{page}board.json").json()
    found["export"] = (exported["version"], exported["as_of"])
    found["tag"] = client.get(f"{api}leaderboard/", headers=headers).headers["ETag"]
    round_ = client.get(api, headers=headers).json()
    found["round"] = {key: value for key, value in round_.items() if "version" in key}
    return found


def test_no_version_and_no_page_moves_with_what_nobody_may_know(world: World) -> None:
    """Every event begins with the same world, whose pages are read once."""
    pin_entry(world.rivals.entries.get(), world.people["rival"])
    pages = {role: reachable(world, role) for role in WATCHERS}
    for event in HIDDEN_EVENTS:
        single_flight_cache.forget_everything()
        cache.clear()
        with transaction.atomic():
            before = {role: versions(world, role) for role in WATCHERS}
            event(world)
            assert {role: versions(world, role) for role in WATCHERS} == before, event.__name__
            for role in WATCHERS:
                after = reachable(world, role)
                changed = [path for path in pages[role] if after.get(path) != pages[role][path]]
                assert changed == [], (
                    event.__name__,
                    role,
                    first_difference(pages[role][changed[0]], after.get(changed[0], b"")),
                )
            transaction.set_rollback(True)


WATCHERS = ("visitor", "loner", "owner")


@pytest.mark.parametrize("event", HIDDEN_EVENTS, ids=lambda event: event.__name__)
def test_the_same_events_move_the_organisers_matrix_and_an_open_round(
    world: World, event: Callable[[World], None]
) -> None:
    """The look can see something: who may know of the events is told of them."""
    pin_entry(world.rivals.entries.get(), world.people["rival"])
    before = versions(world, "organiser")["matrix/"]
    event(world)
    assert versions(world, "organiser")["matrix/"] != before
    Round.objects.filter(pk=world.round.pk).update(feedback="full")
    shown = versions(world, "visitor")["tag"]
    event(world)
    assert versions(world, "visitor")["tag"] != shown


def test_after_the_results_the_same_look_sees_the_difference(world: World) -> None:
    """The search can find something: with the results open, boards and matrix do change."""
    set_phase(world, Phase.Kind.RESULTS, "none")
    changed = changed_pages(world, "visitor", replace_hidden_results)
    assert any(line.startswith("/contests/open-contest/practice/matrix/:") for line in changed)
    assert any(line.split(":")[0].endswith("/leaderboard/") for line in changed)


def texts_in(path: str, body: bytes) -> list[bytes]:
    """A body, or the files of an archive, which hold no truth but those of samples."""
    if body[:2] != b"PK":
        return [body]
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        names = archive.namelist()
        assert not [name for name in names if name.endswith("P.csv") and "/samples/" not in name], path
        return [archive.read(name) for name in names]


def test_the_owners_secrets_are_nowhere_within_reach_of_others(world: World) -> None:
    secrets = {
        "note": b"the note of the owners",
        "question": b"the private question of the owners",
        "mail": world.people["owner"].email.encode(),
        "truth's name": vault.truth_name(world.entry).encode(),
        "upload's name": world.entry.upload_sha256.encode(),
        "invitation": world.invitation_secret.encode(),
        "identity elsewhere": SUBJECT.encode(),
        "house seed": str(HOUSE_SEED).encode(),
        "seed of an order": str(ORDER_SEED).encode(),
        "P": entry_files()["P.csv"].strip(),
        "hidden contest": b"hidden-contest",
    }
    for kind, role in itertools.product(("before", "anonymise", "attack", "results"), OUTSIDERS):
        set_phase(world, kind, "none")
        found = reachable(world, role)
        for path in found.keys() - own_uploads(world, role):
            texts = texts_in(path, found[path])
            for what, secret in secrets.items():
                assert not any(secret in text for text in texts), f"{what} at {path} for {role}, {kind}"


SEES_INDIVIDUALS = ("owner", "organiser")
"""Who may read before the results which people of the owners' entry were found: its team, and who runs it."""
CANARY = "canary-customer-5e1f"
MEASURED = ("/operations/",)
"""Pages that measure the machine, so that no two looks are alike: there the planted name is searched only."""
Look = Callable[[World, str], dict[str, bytes]]


def every_route(world: World, role: str, only: str = "") -> dict[str, bytes]:
    """The bodies of all routes, linked or not, filled with the official entry and a house attack on it."""
    names = dict(world.names)
    world.names |= {"DRAFT": names["ENTRY"], "DRYRUN": names["ATTACK"]}
    single_flight_cache.forget_everything()
    cache.clear()
    found = {}
    for route in routes():
        if route.name in {"logout", "kit"}:
            continue
        path = route.path(world)
        if only not in ("", path):
            continue
        client = world.browser(role)
        answer: Any = client.get(path, headers=world.headers(role) if route.is_api else {})
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        found[path] = CHANGING.sub(b"", body)
    world.names = names
    return found


def plant_canaries() -> None:
    """Write an unlikely name of a person to every place of the database that can name one."""
    AttackRun.objects.update(found_rows=[7, 3, 9])
    AttackRun.objects.update(log=f"found {CANARY}", reason=f"found {CANARY}")
    for score in Score.objects.all():
        score.detail |= {"customers": [CANARY]}
        score.save()
    problem = {"file": "M.csv", "line": 3, "column": "customer_id", "code": "x", "got": CANARY}
    Entry.objects.update(problems=[problem | {"expected": CANARY}])
    Portrait.objects.all().delete()
    for entry in Entry.objects.filter(is_official=True):
        Signal.objects.create(
            round=entry.round, kind="row-order", entry=entry, strength=9, threshold=4, detail={"who": CANARY}
        )


def naming(world: World, role: str, look: Look = every_route) -> list[str]:
    """Pages that change with who was found, or that show the planted name."""
    with transaction.atomic():
        before = look(world, role)
        plant_canaries()
        after = look(world, role)
        transaction.set_rollback(True)
    return [
        path
        for path in sorted(before.keys() | after.keys())
        if (before.get(path) != after.get(path) and path not in MEASURED)
        or CANARY.encode() in after.get(path, b"")
    ]


def test_before_the_results_nobody_else_learns_which_people_were_found(world: World) -> None:
    """Every role × route: with full feedback counts are public at once, people are not."""
    set_phase(world, Phase.Kind.ATTACK, "full")
    for role in (role for role in ROLES if role not in SEES_INDIVIDUALS):
        assert naming(world, role) == [], role


def test_in_no_phase_before_the_results_rivals_learn_which_people_were_found(world: World) -> None:
    cases = (("before", "full"), ("anonymise", "full"), ("attack", "bands"), ("attack", "none"))
    for kind, feedback in cases:
        set_phase(world, kind, feedback)
        assert naming(world, "rival") == [], (kind, feedback)


def test_no_link_leads_to_the_people_who_were_found(world: World) -> None:
    set_phase(world, Phase.Kind.ATTACK, "full")
    assert naming(world, "loner", reachable) == []


def entry_page(world: World) -> str:
    return f"/contests/open-contest/practice/entries/{world.entry.pk}/"


def look_at_the_entry(world: World, role: str) -> dict[str, bytes]:
    return every_route(world, role, only=entry_page(world))


def test_the_entrys_own_team_and_the_organisers_see_its_people_before_the_results(world: World) -> None:
    """The search can find something: the same look shows those who may see it the difference."""
    set_phase(world, Phase.Kind.ATTACK, "full")
    for role in SEES_INDIVIDUALS:
        assert naming(world, role, look_at_the_entry) == [entry_page(world)], role


def test_after_the_results_everybody_sees_which_people_were_easiest_to_find(world: World) -> None:
    for feedback, role in itertools.product(("full", "none"), OUTSIDERS):
        set_phase(world, Phase.Kind.RESULTS, feedback)
        assert naming(world, role, look_at_the_entry) == [entry_page(world)], (feedback, role)


def test_whom_an_attack_found_is_read_in_few_places_only() -> None:
    """A page, letter, export or webhook that begins to read it must be thought about, and added here."""
    reading = {
        "contest/work/attacks.py": "left out of what attack machines read",
        "contest/operations/attack_role.py": "hidden from attack machines",
        "contest/pages/entry.py": "behind access.sees_individuals",
        "contest/models/attack.py": "the column",
        "contest/archive/format_1.py": "read from older archives",
        "contest/services/attacks.py": "written by the judge",
        "contest/work/failures.py": "left out of what is read",
        "contest/work/game_signals.py": "left out of what is read",
        "contest/board/game_matrix.py": "left out of what is read",
        "contest/pages/games/entry.py": "left out of what is read",
        "contest/pages/targets.py": "left out of what is read",
    }
    naming = {
        str(path.relative_to(ROOT))
        for folder in ("contest", "attacks", "scoring", "kakurenbo", "templates", "config")
        for path in (ROOT / folder).rglob("*.*")
        if path.suffix in {".py", ".html", ".md", ".txt"} and "migrations" not in path.parts
        if "found_rows" in path.read_text(encoding="utf-8")
    }
    assert naming == set(reading)


def test_no_address_leads_to_a_file_of_the_vault(world: World) -> None:
    sha256 = vault.truth_name(world.entry)
    assert vault.is_intact(sha256)
    tries = [
        f"/files/vault/{sha256[:2]}/{sha256}",
        f"/media/{sha256}",
        f"/static/../files/vault/{sha256[:2]}/{sha256}",
        f"/static/%2e%2e/files/vault/{sha256[:2]}/{sha256}",
        "/contests/open-contest/practice/data/P.csv",
        "/contests/open-contest/practice/data/..%2f..%2fsecret_key",
        f"/contests/open-contest/practice/data/{sha256}",
        f"/api/v1/contests/open-contest/rounds/practice/data/{sha256}",
        f"/api/v1/contests/open-contest/rounds/practice/entries/{world.entry.pk}/P.csv",
    ]
    for role in ("visitor", "rival", "owner", "organiser"):
        for path in tries:
            answer = world.browser(role).get(path, headers=world.headers(role) if "/api/" in path else {})
            assert answer.status_code in (400, 404), (role, path, answer.status_code)


def test_a_measures_detail_holds_no_pair_of_customer_and_pseudonym(world: World) -> None:
    for score in Score.objects.all():
        assert "pseudonym" not in str(score.detail)
