"""Boards that a game has counted: read and rendered once for each version, never for the wrong reader."""

from __future__ import annotations

import os
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from contest.board import single_flight_cache
from contest.board.board_cache import ROWS_A_PAGE
from contest.models import Round, StoredBoard, Team
from contest.services.board_versions import bump_board
from contest.services.tallies import store_boards
from tests.factories import make_team, make_user
from tests.game_rounds import TOYS, game_contest, make_game_round, sources_of

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}
MOST_STATEMENTS = 12


@pytest.fixture
def round_(monkeypatch: pytest.MonkeyPatch) -> Round:
    monkeypatch.setenv("KAKURENBO_GAMES", os.pathsep.join(map(str, TOYS.values())))
    single_flight_cache.forget_everything()
    cache.clear()
    contest, package = game_contest(TOYS["locket"])
    return make_game_round(contest, package, sources_of(TOYS["locket"]))


def row(place: int, key: str, team: Team | None = None) -> dict[str, Any]:
    return {
        "key": key,
        "place": place,
        "values": {"total": place / 7},
        "chain": [float(place)],
        "kind": "team",
        "team": team.pk if team else None,
        "entry": None,
    }


def fill(round_: Round, n: int, *, shown: str = "all", teams: tuple[Team, ...] = ()) -> None:
    """Boards as a tally stores them: n rows, those of the teams last."""
    rows = [row(place, f"Team {place:04d}") for place in range(1, n + 1)]
    rows += [row(n + place, team.name, team) for place, team in enumerate(teams, start=1)]
    board = {"position": 0, "name": "main", "columns": ["total"], "rows": rows, "shown": shown}
    assert round_.game is not None
    views = (StoredBoard.View.LIVE, StoredBoard.View.FINAL)
    store_boards(round_, round_.game, {view: [board] for view in views})
    bump_board(round_.pk)
    round_.refresh_from_db()


def looked(client: Client, path: str, **headers: str) -> tuple[Any, int]:
    """An answer and the number of statements that it took."""
    with CaptureQueriesContext(connection) as captured:
        answer = client.get(path, headers=headers)
    return answer, len(captured)


def test_statements_and_bytes_do_not_grow_with_the_rows(round_: Round, client: Client) -> None:
    url, api = round_.get_absolute_url(), api_of(round_)
    sizes, counts = {}, {}
    for n in (ROWS_A_PAGE, 10 * ROWS_A_PAGE):
        fill(round_, n)
        page, first = looked(client, url)
        again, second = looked(client, url)
        _, poll = looked(client, f"{url}?version={version_in(page)}", **HTMX)
        assert second < first, "the second look finds the boards in memory"
        assert page.content.count(b'scope="row"') == ROWS_A_PAGE
        sizes[n] = len(again.content)
        counts[n] = (first, second, poll, looked(client, api)[1])
    small, large = sizes.values()
    assert large - small < 1000, "the way to the other pages, and nothing else"
    # A few more or less: a poll asks for the state of the round again where its last answer has grown old.
    assert all(max(numbers) <= MOST_STATEMENTS for numbers in counts.values()), counts


def version_in(page: Any) -> str:
    return page.content.decode().partition("version=")[2].partition('"')[0]


def api_of(round_: Round) -> str:
    return f"/api/v1/contests/{round_.contest.slug}/rounds/{round_.slug}/boards/"


def test_the_poll_answers_nothing_until_the_boards_change(round_: Round, client: Client) -> None:
    fill(round_, 3)
    url = round_.get_absolute_url()
    page = client.get(url)
    poll = f"{url}?version={version_in(page)}"
    assert client.get(poll, headers=HTMX).status_code == 204
    fill(round_, 4)
    changed = client.get(poll, headers=HTMX)
    assert changed.status_code == 200
    assert b"Team 0004" in changed.content
    assert b"<html" not in changed.content


def test_all_pages_together_hold_every_row_and_mine_is_on_each(round_: Round, client: Client) -> None:
    captain = make_user("tanuki")
    team = make_team(round_.contest, "Tanuki", captain)
    fill(round_, 2 * ROWS_A_PAGE + 10, teams=(team,))
    client.force_login(captain)
    pages = [client.get(f"{round_.get_absolute_url()}?page={page}").content.decode() for page in (1, 2, 3)]
    for place in range(1, 2 * ROWS_A_PAGE + 11):
        assert sum(f"Team {place:04d}<" in page.replace("\n", "<") for page in pages) == 1, place
    assert all("Tanuki" in page and 'class="mine"' in page for page in pages)


def test_what_is_remembered_for_one_reader_is_shown_to_no_other(round_: Round) -> None:
    people = {name: make_user(name) for name in ("aki", "haru")}
    teams = tuple(make_team(round_.contest, name.title(), user) for name, user in people.items())
    people["organiser"] = round_.contest.organisers.select_related("user").get().user
    for shown, seen in (
        ("own row", {"aki": {"Aki"}, "haru": {"Haru"}, "organiser": {"Aki", "Haru"}, "visitor": set()}),
        ("organisers", {"organiser": {"Aki", "Haru"}, "aki": set(), "haru": set(), "visitor": set()}),
    ):
        fill(round_, 1, shown=shown, teams=teams)
        for name, expected in seen.items():
            client = Client()
            if name in people:
                client.force_login(people[name])
            exported = client.get(f"{round_.get_absolute_url()}board.json").json()
            rows = {row["name"] for board in exported["boards"] for row in board["rows"]}
            assert rows & {"Aki", "Haru"} == expected, (shown, name)
            text = client.get(round_.get_absolute_url(), headers=HTMX).content.decode()
            assert {team for team in ("Aki", "Haru") if f"{team}\n" in text} == expected, (shown, name)


def test_a_program_asks_again_for_little(round_: Round, client: Client) -> None:
    fill(round_, 50)
    path = api_of(round_)
    answer = client.get(path)
    tag = answer.headers["ETag"]
    assert len(answer.json()["boards"][0]["rows"]) == 50
    same = client.get(path, headers={"If-None-Match": tag})
    assert (same.status_code, same.content, same.headers["ETag"]) == (304, b"", tag)
    fill(round_, 51)
    changed = client.get(path, headers={"If-None-Match": tag})
    assert changed.status_code == 200
    assert changed.headers["ETag"] != tag


def test_boards_counted_again_without_a_new_version_are_not_kept_back(round_: Round, client: Client) -> None:
    """A tally stores new rows; even where no number was raised, nobody is shown the old ones."""
    fill(round_, 2)
    client.get(round_.get_absolute_url())
    assert round_.game is not None
    board = {"position": 0, "name": "main", "columns": ["total"], "rows": [row(1, "Newest")], "shown": "all"}
    store_boards(round_, round_.game, {StoredBoard.View.FINAL: [board]})
    assert b"Newest" in client.get(round_.get_absolute_url()).content
    assert StoredBoard.objects.filter(round=round_, made_at__lte=timezone.now()).exists()
