"""Boards of games that are sorted, searched, filtered and mapped by their address."""

from __future__ import annotations

import os
import re
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from contest.board import single_flight_cache
from contest.board.game_boards import counted_boards
from contest.models import Entry, Round, Standing, StoredBoard, Team
from contest.models.round import Feedback
from contest.services.board_versions import bump_board
from contest.services.tallies import store_boards
from tests.contest.test_board_views import DAY, HTMX, STRANGE
from tests.contest.test_game_boards import looked, row
from tests.factories import make_team, make_user
from tests.game_rounds import TOYS, game_contest, make_game_round, sources_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def round_(monkeypatch: pytest.MonkeyPatch) -> Round:
    monkeypatch.setenv("KAKURENBO_GAMES", os.pathsep.join(map(str, TOYS.values())))
    single_flight_cache.forget_everything()
    cache.clear()
    contest, package = game_contest(TOYS["locket"])
    return make_game_round(contest, package, sources_of(TOYS["locket"]))


def fill(round_: Round, *, shown: str = "all") -> list[Team]:
    """Six teams with entries and two rows of the house; the loss grows with the place, then shrinks."""
    teams, rows = [], []
    for place, name in enumerate(("Aki", "Haru", "Natsu", "Fuyu", "Umi", "Yama"), start=1):
        team = Team.objects.filter(name=name).first() or make_team(
            round_.contest, name, make_user(name.lower())
        )
        entry, _made = Entry.objects.get_or_create(
            round=round_,
            team=team,
            number=1,
            defaults={
                "state": Entry.State.VALID,
                "received_at": timezone.now(),
                "finished_at": timezone.now(),
                "upload_sha256": "0" * 64,
                "upload_bytes": 1,
                "is_official": True,
                "utility": 10.0 * place,
                "risk": 0.1 * place,
            },
        )
        teams.append(team)
        values = {"total": 7.0 - place, "loss": float((place - 3) ** 2)}
        rows.append({**row(place, name, team), "values": values, "entry": entry.pk})
    for name in ("house:first", "house:second"):
        rows.append({**row(0, name), "place": None, "kind": "attack", "values": {"total": 2.5, "loss": None}})
    board = {"position": 0, "name": "main", "columns": ["total", "loss"], "rows": rows, "shown": shown}
    assert round_.game is not None
    views = (StoredBoard.View.LIVE, StoredBoard.View.FINAL)
    store_boards(round_, round_.game, {view: [board] for view in views})
    bump_board(round_.pk)
    round_.refresh_from_db()
    return teams


def names(html: str) -> list[str]:
    found = re.findall(r'<th scope="row">(.*?)</th>', html, re.DOTALL)
    return [re.sub(r"<[^>]+>", " ", one).split()[0] for one in found]


def shown(client: Client, round_: Round, **asked: str) -> str:
    answer = client.get(round_.get_absolute_url(), asked, headers=HTMX)
    assert answer.status_code == 200
    return answer.content.decode()


def test_columns_sort_and_what_has_no_value_is_last(round_: Round, client: Client) -> None:
    fill(round_)
    usual = names(shown(client, round_))
    assert usual == ["Aki", "Haru", "Natsu", "Fuyu", "Umi", "Yama", "house:first", "house:second"]
    house = usual[6:]
    for sort, order in {
        "loss": ["Natsu", "Haru", "Fuyu", "Aki", "Umi", "Yama", *house],
        "-loss": ["Yama", "Aki", "Umi", "Haru", "Fuyu", "Natsu", *house],
        "-place": ["Yama", "Umi", "Fuyu", "Natsu", "Haru", "Aki", *house],
        "team": ["Aki", "Fuyu", "Haru", *house, "Natsu", "Umi", "Yama"],
        "total": ["Yama", "Umi", *house, "Fuyu", "Natsu", "Haru", "Aki"],
    }.items():
        html = shown(client, round_, sort=sort)
        assert names(html) == order, sort
        assert html.count("aria-sort=") == 1
        assert re.search(rf'hx-get="[^"]*\?sort={sort}&amp;page=1&amp;version=', html)


def test_search_and_filter_and_hostile_texts(round_: Round, client: Client) -> None:
    fill(round_)
    assert names(shown(client, round_, search="UMI")) == ["Umi"]
    assert names(shown(client, round_, show="house")) == ["house:first", "house:second"]
    assert len(names(shown(client, round_, show="teams"))) == 6
    assert "No row matches." in shown(client, round_, search="nobody")
    usual = shown(client, round_)
    for name in ("sort", "show", "x", "y", "page"):
        for text in STRANGE:
            assert shown(client, round_, **{name: text}) == usual, (name, text)
    assert shown(client, round_, search="x" * 5000) == usual
    html = client.get(round_.get_absolute_url(), {"search": "<script>x"}).content.decode()
    assert "<script>x" not in html and "&lt;script&gt;x" in html


def test_arrows_are_those_of_the_first_board_and_only_where_results_are_seen(
    round_: Round, client: Client
) -> None:
    teams = fill(round_)
    places = [{"team": teams[number].pk, "rank": 3 - number, "total": 1.0} for number in range(3)]
    Standing.objects.create(round=round_, at=timezone.now() - 2 * DAY, board_version=0, places=places)
    fill(round_)
    html = shown(client, round_)
    assert html.count("▲2") == 1 and html.count("▼2") == 1
    assert html.count('<span class="moved">new</span>') == 3
    Round.objects.filter(pk=round_.pk).update(feedback=Feedback.NONE)
    round_.phases.filter(kind="results").update(
        starts_at=timezone.now() + DAY, ends_at=timezone.now() + 2 * DAY
    )
    hidden = shown(client, round_)
    assert 'class="moved' not in hidden and "<circle" not in hidden
    assert names(shown(client, round_, sort="-loss", x="loss", y="total"))[0] == "Yama"
    for query in ("", "?x=loss&y=total"):
        assert client.get(f"{picture(round_, 'csv')}{query}").status_code == 404
    organiser = round_.contest.organisers.select_related("user").get().user
    client.force_login(organiser)
    assert "▲2" in shown(client, round_)


def picture(round_: Round, form: str) -> str:
    return reverse("round_picture", args=[round_.contest.slug, round_.slug, "map", form])


def test_the_map_shows_any_column_and_its_files_do_too(round_: Round, client: Client) -> None:
    fill(round_)
    html = shown(client, round_, x="loss", y="total")
    assert len(re.findall(r"<title>(?:Aki|Haru|Natsu|Fuyu|Umi|Yama): ", html)) == 6
    assert "x=loss&amp;y=total" in html
    text = client.get(picture(round_, "csv"), {"x": "loss", "y": "total"}).content.decode("utf-8-sig")
    assert "Natsu,0.0,4.0" in text
    assert client.get(picture(round_, "svg")).content.count(b"<circle") == 6
    assert client.get(picture(round_, "exe")).status_code == 404


def test_a_board_of_own_rows_lends_no_axis_and_no_arrow(round_: Round, client: Client) -> None:
    teams = fill(round_, shown="own row")
    Standing.objects.create(
        round=round_,
        at=timezone.now() - 2 * DAY,
        board_version=0,
        places=[{"team": teams[0].pk, "rank": 2, "total": 1.0}],
    )
    fill(round_, shown="own row")
    client.force_login(teams[0].memberships.get().user)
    html = shown(client, round_, x="loss", y="total")
    assert names(html) == ["Aki"]
    assert 'class="moved' not in html and "x=loss" not in html
    assert names(shown(client, round_, search="Haru")) == []


def test_my_row_is_marked_once_and_linked(round_: Round, client: Client) -> None:
    teams = fill(round_)
    client.force_login(teams[4].memberships.get().user)
    html = shown(client, round_, me="1")
    assert html.count('id="mine"') == 1 and 'href="#mine"' in html
    assert 'href="?me=1#mine"' in shown(client, round_, search="Aki")


def test_views_take_no_more_statements_than_the_usual_board(round_: Round, client: Client) -> None:
    fill(round_)
    url = round_.get_absolute_url()
    looked(client, url)
    usual = looked(client, url)[1]
    looked(client, f"{url}?x=loss")
    for number in range(5):
        assert looked(client, f"{url}?x=loss&sort=-loss&search={number}")[1] <= usual
    counted: Any = counted_boards(round_.contest.organisers.get().user, round_, None)
    assert len(counted.boards[0].lines) == 8
