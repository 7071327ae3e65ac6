"""While a board stands still, and while results are revealed, nothing tells more to anybody but organisers.

All that somebody can reach is read twice, before and after what is hidden was replaced: not one byte may
differ. Every route is read, linked or not, and everything that is linked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.db import transaction
from django.utils import timezone

from contest import access
from contest.board import single_flight_cache
from contest.models import AttackRun, Entry, Phase, Reveal, Round, StoredBoard
from contest.records.audit import extend_all_chains
from contest.services.board_versions import bump_board
from contest.services.phase_clock import run_clock
from contest.services.reveals import end_reveal, move_reveal, start_reveal
from contest.services.standings_history import record_standing
from tests.factories import entry_files, make_entry, make_team, make_user, work_off
from tests.security.game_world import GameWorld, install_games, make_game_world
from tests.security.test_game_leaks import replaced, shown_places
from tests.security.test_leaks import DAY, every_route, first_difference, own_uploads, reachable, versions
from tests.security.world import ROLES, World, make_world

pytestmark = pytest.mark.django_db

OTHERS = tuple(role for role in ROLES if role != "organiser")
LINKED = ("visitor", "rival")
NOT_READ = {"/operations/"}
"""A page that measures the machine, so that no two looks are alike."""


@pytest.fixture
def world(settings: Any) -> World:
    """A round that shows everything at once, whose board has just stopped."""
    settings.API_RATES = {"anonymous": None, "token": None, "write": None}
    world = make_world("full")
    record_standing(world.round)
    stop(world.round)
    return world


def stop(*rounds: Round) -> None:
    now = timezone.now()
    Round.objects.filter(pk__in=[round_.pk for round_ in rounds]).update(board_frozen_at=now)
    run_clock()
    for round_ in rounds:
        round_.refresh_from_db()
        assert round_.still_since is not None
    extend_all_chains()


def let_results_begin(*rounds: Round) -> None:
    """Everything is counted, and the results phase has begun."""
    now = timezone.now()
    for round_ in rounds:
        played = Phase.objects.filter(round=round_).exclude(kind=Phase.Kind.RESULTS)
        played.update(starts_at=now - 3 * DAY, ends_at=now - DAY)
        results = Phase.objects.filter(round=round_, kind=Phase.Kind.RESULTS)
        results.update(starts_at=now - DAY, ends_at=now + DAY)
    Round.objects.filter(pk__in=[round_.pk for round_ in rounds]).update(reveal_in_steps=True)
    run_clock()
    work_off()
    run_clock()
    for round_ in rounds:
        round_.refresh_from_db()
        assert round_.still_since is not None
        assert round_.revealed_at is None
    extend_all_chains()


def replace_results(world: World, role: str) -> None:
    """Other results of everybody but the reader, whose own entries and attacks are told as ever."""
    mine = [key for key, team in {"owner": world.team, "rival": world.rivals}.items() if key == role]
    teams = [{"owner": world.team, "rival": world.rivals}[key].pk for key in mine]
    runs = AttackRun.objects.exclude(entry__team__in=teams).exclude(attack__team__in=teams)
    AttackRun.objects.filter(pk__in=list(runs.values_list("pk", flat=True))).update(
        numbers={"hits": 7, "guesses": 9, "expected_hits": 6.5}, risk=0.5833, low=0.31, high=0.81
    )
    others = Entry.objects.filter(round=world.round).exclude(team__in=teams)
    others.update(numbers={"hits": 7}, risk=0.5833, strongest_attack="re-replaced")
    bump_board(world.round.pk)
    record_standing(world.round)


def everything(world: World, role: str) -> dict[str, bytes]:
    """Every route; for some roles, which stand for all, also what is linked with questions behind it."""
    return every_route(world, role) | (reachable(world, role) if role in LINKED else {})


def differing(world: World, role: str, change: Callable[[World, str], None]) -> list[str]:
    with transaction.atomic():
        before = everything(world, role)
        change(world, role)
        after = everything(world, role)
        transaction.set_rollback(True)
    return [
        f"{role} {path}: {first_difference(before.get(path, b''), after.get(path, b''))}"
        for path in sorted((before.keys() | after.keys()) - own_uploads(world, role) - NOT_READ)
        if before.get(path) != after.get(path) and "hidden-contest" not in path
    ]


def test_nothing_within_reach_depends_on_what_happens_while_the_board_stands_still(world: World) -> None:
    changed = [line for role in OTHERS for line in differing(world, role, replace_results)]
    assert not changed, "\n".join(changed)


def new_team_with_an_entry(world: World, role: str) -> None:
    """A team that nobody knew gets onto the board, and is attacked by the house."""
    team = make_team(world.round.contest, "Newcomers", make_user("newcomer"))
    make_entry(world.round, team, entry_files("swap", 5))
    work_off()
    record_standing(world.round)
    extend_all_chains()


def versions_and_board(world: World, role: str) -> dict[str, object]:
    single_flight_cache.forget_everything()
    cache.clear()
    found = versions(world, role)
    client = world.browser(role)
    page = "/contests/open-contest/practice/"
    for name in ("", "projector/", "history/", "board.csv", "events/", "matrix/"):
        found[f"body {name}"] = b"Newcomers" in client.get(page + name).content
    found["feed"] = b"Newcomers" in client.get("/contests/open-contest/events.atom").content
    found["events"] = client.get("/api/v1/contests/open-contest/events/").json()["events"]
    return found


def test_no_version_board_or_feed_tells_of_an_entry_that_comes_while_it_stands_still(world: World) -> None:
    for role in ("visitor", "rival", "loner"):
        with transaction.atomic():
            before = versions_and_board(world, role)
            new_team_with_an_entry(world, role)
            assert versions_and_board(world, role) == before, role
            transaction.set_rollback(True)


def test_the_same_look_sees_the_difference_where_the_board_moves(world: World) -> None:
    """The search can find something."""
    Round.objects.filter(pk=world.round.pk).update(board_frozen_at=None)
    run_clock()
    assert differing(world, "visitor", replace_results)
    before = versions_and_board(world, "visitor")
    new_team_with_an_entry(world, "visitor")
    after = versions_and_board(world, "visitor")
    assert after["tag"] != before["tag"]
    assert after["body "] is True


def test_organisers_see_both_orders_and_the_own_team_its_own_entry(world: World) -> None:
    page = world.browser("organiser").get("/contests/open-contest/practice/reveal/").content.decode()
    assert "Both orders" in page
    mine = world.browser("owner").get(f"/contests/open-contest/practice/entries/{world.entry.pk}/")
    assert "re-itemset" in mine.content.decode()
    others = world.browser("rival").get(f"/contests/open-contest/practice/entries/{world.entry.pk}/")
    assert others.status_code == 404


def reveal_one(world: World) -> Reveal:
    let_results_begin(world.round)
    start_reveal(world.round, world.people["organiser"])
    move_reveal(world.round, world.people["organiser"], 1, 0)
    extend_all_chains()
    reveal = access.reveal_of(world.round)
    assert reveal is not None
    assert reveal.shown == 1
    assert len(reveal.places) == 2
    return reveal


def replace_hidden_places(world: World, role: str) -> None:
    reveal = Reveal.objects.get(round=world.round)
    hidden = {"name": "a marked team", "frozen": 7, "value": "77.77", "is_house": False}
    reveal.places[1] = {**reveal.places[1], **hidden}
    reveal.places.append({**reveal.places[1], "name": "another marked team"})
    reveal.save()
    if role not in ("owner", "rival"):
        replace_results(world, role)


def test_a_reveal_tells_the_places_that_are_revealed_and_nothing_more(world: World) -> None:
    reveal = reveal_one(world)
    changed = [line for role in OTHERS for line in differing(world, role, replace_hidden_places)]
    assert not changed, "\n".join(changed)
    page = world.browser("visitor").get("/contests/open-contest/practice/reveal/").content.decode()
    assert f'<td class="num total">{reveal.places[0]["value"]}</td>' in page
    end_reveal(world.round, world.people["organiser"])
    assert differing(world, "visitor", replace_hidden_places), "the search can find something"


@pytest.fixture
def games(settings: Any, monkeypatch: pytest.MonkeyPatch) -> GameWorld:
    settings.API_RATES = {"anonymous": None, "token": None, "write": None}
    install_games(monkeypatch)
    world = make_game_world(("pair", "membership"))
    Round.objects.filter(pk__in=[round_.pk for round_ in world.rounds.values()]).update(feedback="full")
    for round_ in world.rounds.values():
        bump_board(round_.pk)
    work_off()
    return world


def replace_boards(world: GameWorld) -> None:
    """Other numbers on all boards but those that are stored as they stood still, and in all results."""
    for board in StoredBoard.objects.exclude(view=StoredBoard.View.STILL):
        for row in board.rows:
            row["values"] = dict.fromkeys(row["values"], 0.1234)
            row["place"] = 1 if row["place"] else None
        board.save()
    teams = [team.pk for team in world.teams.values()]
    Entry.objects.exclude(team__in=teams).update(risk=0.4321)
    for round_ in world.rounds.values():
        bump_board(round_.pk)


def test_boards_of_games_stand_still_too(games: GameWorld) -> None:
    stop(*games.rounds.values())
    for role in ("visitor", "rival", "stranger"):
        changed = replaced(games, role, shown_places(games), replace_boards)
        assert not changed, "\n".join([role, *changed])


def test_a_reveal_of_a_games_round_tells_nothing_more(games: GameWorld) -> None:
    stop(*games.rounds.values())
    let_results_begin(*games.rounds.values())
    round_ = games.rounds["pair"]
    start_reveal(round_, games.people["organiser"])
    move_reveal(round_, games.people["organiser"], 1, 0)
    changed = replaced(games, "visitor", shown_places(games), replace_boards)
    assert not changed, "\n".join(changed)
    body = games.browser("visitor").get(f"{round_.get_absolute_url()}reveal/").content.decode()
    reveal = access.reveal_of(round_)
    assert reveal is not None
    assert reveal.places[0]["name"] in body
    assert body.count('<td class="num total">') == 1, "one place is shown, and nothing of the others"
