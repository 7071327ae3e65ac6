"""A board that is sorted, searched, filtered and mapped by its address, and how places changed on it."""

from __future__ import annotations

import csv
import datetime
import io
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape

from contest.board import board_cache
from contest.board.board_view import LONGEST_SEARCH
from contest.models import Entry, Membership, Round, Standing, Team, User
from contest.models.round import Feedback
from contest.services.board_versions import bump_board
from contest.services.standings_history import places_of
from tests.contest.test_leaderboard import fill_board
from tests.contest.test_standings import hidden_round
from tests.factories import make_contest, make_round, make_user

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}
DAY = datetime.timedelta(days=1)
COLUMNS = {
    "place": lambda row: row.rank,
    "team": lambda row: row.team_name.casefold(),
    "total": lambda row: row.total,
    "safety": lambda row: row.safety,
    "found": lambda row: row.hits,
    "utility": lambda row: row.utility,
    "received": lambda row: row.received_at,
    "ut-jaccard": lambda row: row.measures[0].value,
    "subset": lambda row: row.measures[1].value,
    "cmae": lambda row: row.measures[2].value,
    "rfm": lambda row: row.measures[3].value,
}
STRANGE = (
    "",
    "password",
    "team__contest",
    "1; DROP TABLE contest_entry;--",
    "' OR 1=1 --",
    "-",
    "--total",
    "é\x00",
)


@pytest.fixture
def round_() -> Round:
    made = make_round(make_contest(make_user("oni"), slug="demo"))
    fill_board(made, 24)
    Team.objects.filter(name__in=["Team 0003", "Team 0005"]).update(is_house=True)
    made.refresh_from_db()
    return made


def page(client: Client, round_: Round, **asked: str) -> Any:
    answer = client.get(round_.get_absolute_url(), asked)
    assert answer.status_code == 200
    return answer


def join(round_: Round, team: str, name: str = "tanuki") -> User:
    user = make_user(name)
    Membership.objects.create(team=Team.objects.get(name=team), contest=round_.contest, user=user)
    return user


def test_any_column_sorts_both_ways_and_places_stay(client: Client, round_: Round) -> None:
    ranking = {row.team_name: row.rank for row in page(client, round_).context["rows"]}
    for column, sort in ((column, f"{sign}{column}") for column in COLUMNS for sign in ("", "-")):
        answer = page(client, round_, sort=sort)
        rows = answer.context["rows"]
        values = [COLUMNS[column](row) for row in rows]
        known = [value for value in values if value is not None]
        assert known == sorted(known, reverse=sort.startswith("-"))
        if sort != "place":
            assert values[: len(known)] == known, "rows without a value are last"
        assert {row.team_name: row.rank for row in rows} == ranking
        way = "descending" if sort.startswith("-") else "ascending"
        assert answer.content.decode().count("aria-sort=") == 1
        assert f'aria-sort="{way}"' in answer.content.decode()


def test_a_head_sorts_the_best_first_and_then_the_other_way(client: Client, round_: Round) -> None:
    def link(asked: dict[str, str], title: str) -> dict[str, list[str]]:
        html = page(client, round_, **asked).content.decode()
        found = re.search(rf'<a class="sort" href="\?([^"]*)" rel="nofollow">{title}</a>', html)
        assert found is not None
        return parse_qs(found[1].replace("&amp;", "&"))

    assert link({}, "Safety") == {"sort": ["-safety"]}
    assert link({"sort": "-safety"}, "Safety") == {"sort": ["safety"]}
    assert link({}, "Found") == {"sort": ["found"]}
    assert link({}, "Place") == {"sort": ["-place"]}
    kept = {"sort": "-safety", "search": "team 00", "show": "teams", "x": "found"}
    assert link(kept, "Place") == {"search": ["team 00"], "show": ["teams"], "x": ["found"]}


def test_a_search_finds_parts_of_names_in_any_case_and_width(client: Client, round_: Round) -> None:
    for text in ("0007", "tEAM 0007", "Ｔｅａｍ　０００７", "  team   0007 "):
        names = [row.team_name for row in page(client, round_, search=text).context["rows"]]
        assert names == ["Team 0007"], text
    nothing = page(client, round_, search="nobody")
    assert nothing.context["rows"] == []
    assert "No row matches." in nothing.content.decode()


def test_teams_and_the_house_are_shown_apart(client: Client, round_: Round) -> None:
    shown = {
        show: {row.team_name for row in page(client, round_, show=show).context["rows"]}
        for show in ("", "teams", "house", "everything")
    }
    assert shown["house"] == {"Team 0003", "Team 0005"}
    assert shown["teams"] == shown[""] - shown["house"]
    assert shown["everything"] == shown[""]


def fragment(client: Client, round_: Round, **asked: str) -> bytes:
    answer = client.get(round_.get_absolute_url(), asked, headers=HTMX)
    assert answer.status_code == 200
    return answer.content


def test_what_a_board_does_not_know_is_ignored(client: Client, round_: Round) -> None:
    usual = fragment(client, round_)
    for name in ("sort", "show", "x", "y"):
        for text in STRANGE:
            assert fragment(client, round_, **{name: text}) == usual, (name, text)


def test_a_hostile_search_is_only_a_text(client: Client, round_: Round) -> None:
    for text in (*STRANGE[1:], "<script>alert(1)</script>", '" onload="x', "%00%ff", "٣"):
        html = page(client, round_, search=text).content.decode()
        assert "<script>alert" not in html and 'onload="x' not in html, text
        shown = " ".join(text.replace("\x00", " ").split())
        assert f'value="{escape(shown)}"' in html
    assert Entry.objects.count() == 24


def test_a_search_longer_than_any_name_is_ignored(client: Client, round_: Round) -> None:
    usual = fragment(client, round_)
    for text in ("x" * (LONGEST_SEARCH + 1), "x" * 5000, "ﷺ" * 500):
        assert fragment(client, round_, search=text) == usual
    assert page(client, round_, search="x" * LONGEST_SEARCH).context["rows"] == []


def test_a_strange_page_is_a_page(client: Client, round_: Round) -> None:
    for number in ("0", "-1", "9" * 40, "x", "1e9", "2' OR '1'='1"):
        answer = page(client, round_, page=number, sort="-safety", search="team")
        assert answer.context["page"].number == 1, number
        assert len(answer.context["rows"]) == 24


def test_the_poll_and_the_other_pages_keep_what_was_asked_for(client: Client) -> None:
    round_ = make_round()
    fill_board(round_, 230)
    asked = {"sort": "-found", "search": "Team 0", "show": "teams", "x": "found", "y": "rfm", "page": "2"}
    html = page(client, round_, **asked).content.decode().replace("&amp;", "&")
    poll = re.search(r'hx-get="([^"]+)"', html)
    assert poll is not None
    wanted = {name: [value] for name, value in asked.items()}
    query = parse_qs(urlsplit(poll[1]).query)
    assert {name: query[name] for name in asked} == wanted
    for rel, number in (("prev", "1"), ("next", "3")):
        link = re.search(rf'rel="{rel}"\s+href="\?([^"]+)"', html)
        assert link is not None
        assert parse_qs(link[1]) == {**wanted, "page": [number]}
    polled = client.get(f"{poll[1].split('version=')[0]}version=0", headers=HTMX).content.decode()
    names = [row.team_name for row in page(client, round_, **asked).context["rows"]]
    assert re.findall(r'<th scope="row">\s*<a [^>]*>([^<]+)</a>', polled) == names


def test_my_row_is_marked_and_a_link_leads_to_its_page(client: Client) -> None:
    round_ = make_round()
    fill_board(round_, 230)
    rows = list(board_cache.board_of(round_, True).rows)
    client.force_login(join(round_, rows[150].team_name))
    first = page(client, round_)
    html = first.content.decode()
    assert first.context["page"].number == 1, "the page opens at the top"
    assert 'id="mine"' not in html and 'href="?page=2#mine"' in html
    asked = page(client, round_, me="1")
    assert asked.context["page"].number == 2
    html = asked.content.decode()
    assert html.count('id="mine"') == 1 and 'href="#mine"' in html
    for view in ({"search": "nobody"}, {"show": "house"}):
        assert 'href="?me=1#mine"' in page(client, round_, **view).content.decode()
    last = page(client, round_, me="", sort="-place")
    assert [row.team_name for row in last.context["rows"] if row.is_mine] == [rows[150].team_name]


def stand(round_: Round, ago: datetime.timedelta, ranks: dict[str, int]) -> None:
    keys = {team.name: team.pk for team in Team.objects.filter(name__in=ranks)}
    places = [{"team": keys[name], "rank": rank, "total": 1.0} for name, rank in ranks.items()]
    Standing.objects.create(round=round_, at=timezone.now() - ago, board_version=0, places=places)


def arrows(html: str) -> dict[str, str]:
    """The arrow of each row that has one, as people hear it."""
    found = {}
    for row in re.findall(r"<tr .*?</tr>", html, re.DOTALL):
        moved = re.search(r'<span class="moved[^"]*">(.*?)</td>', row, re.DOTALL)
        name = re.search(r"Team \d{4}", row)
        if moved and name:
            seen = re.sub(r'<span aria-hidden="true">.*?</span>', "", moved[1])
            found[name[0]] = " ".join(re.sub(r"<[^>]+>", "", seen).split())
    return found


def test_arrows_compare_with_the_board_of_a_day_ago(client: Client) -> None:
    round_ = make_round()
    fill_board(round_, 4)
    first, second, third, fourth = (row.team_name for row in board_cache.board_of(round_, True).rows)
    stand(round_, 3 * DAY, {fourth: 1})
    stand(round_, 1.5 * DAY, {second: 1, first: 3, third: 2})
    stand(round_, DAY / 2, {first: 1, second: 2, third: 3})
    bump_board(round_.pk)
    html = page(client, round_).content.decode()
    assert arrows(html) == {
        first: "up 2 places",
        second: "down 1 place",
        third: "down 1 place",
        fourth: "new",
    }
    assert html.count("▲2") == 1 and html.count("▼1") == 2


def test_a_young_round_compares_with_the_last_board_that_was_different(client: Client) -> None:
    round_ = make_round()
    fill_board(round_, 3)
    first, second, third = (row.team_name for row in board_cache.board_of(round_, True).rows)
    assert arrows(page(client, round_).content.decode()) == {}
    stand(round_, DAY / 2, {second: 1, first: 2, third: 3})
    stand(round_, DAY / 4, {first: 1, second: 2, third: 3})
    bump_board(round_.pk)
    assert arrows(page(client, round_).content.decode()) == {first: "up 1 place", second: "down 1 place"}


def test_a_house_without_a_place_has_no_arrow(client: Client, round_: Round) -> None:
    places = [{**place, "rank": (place["rank"] or 40) + 1} for place in places_of(round_)]
    Standing.objects.create(round=round_, at=timezone.now() - 2 * DAY, board_version=0, places=places)
    bump_board(round_.pk)
    shown = arrows(page(client, round_).content.decode())
    assert len(shown) == 22
    assert not {"Team 0003", "Team 0005"} & shown.keys()


def test_before_the_reveal_neither_order_nor_arrows_nor_map_tell_what_attacks_found(client: Client) -> None:
    round_ = hidden_round()
    fill_board(round_, 12)
    stand(round_, 2 * DAY, {"Team 0000": 1, "Team 0001": 2})
    bump_board(round_.pk)
    client.force_login(join(round_, "Team 0004"))
    usual = [row.team_name for row in page(client, round_).context["rows"]]
    for column in ("total", "safety", "found", "place"):
        for sort in (column, f"-{column}"):
            answer = page(client, round_, sort=sort)
            assert [row.team_name for row in answer.context["rows"]] == usual, sort
            assert 'class="moved' not in answer.content.decode()
    for axis in ("total", "safety", "found"):
        html = page(client, round_, x=axis, y="utility").content.decode()
        assert "<title>Team 00" not in html and "No entry has both numbers" in html
        for form in ("csv", "svg"):
            file = client.get(picture(round_, form), {"x": axis, "y": "utility"}).content.decode()
            assert "Team 00" not in file
    html = page(client, round_, x="rfm", y="utility").content.decode()
    assert html.count("<title>Team 00") == 12, "what the board shows anyway is on the map"
    Round.objects.filter(pk=round_.pk).update(feedback=Feedback.FULL)
    shown = page(client, round_, sort="-safety")
    assert [row.safety for row in shown.context["rows"]] == sorted(
        (row.safety for row in shown.context["rows"]), reverse=True
    )
    assert 'class="moved' in shown.content.decode()


def picture(round_: Round, form: str) -> str:
    return reverse("round_picture", args=[round_.contest.slug, round_.slug, "map", form])


def test_the_map_has_any_two_numbers_as_its_axes_and_its_files_have_the_same(
    client: Client, round_: Round
) -> None:
    rows = {row.team_name: row for row in page(client, round_).context["rows"]}
    for x, y in (("total", "found"), ("cmae", "safety"), ("utility", "subset")):
        html = page(client, round_, x=x, y=y).content.decode().replace("&amp;", "&")
        assert html.count("<title>Team 00") == 24
        for name, chosen in (("x", x), ("y", y)):
            options = re.search(rf'<select id="board-{name}".*?</select>', html, re.DOTALL)
            assert options is not None
            assert re.findall(r'value="([^"]+)"\s+selected', options[0]) == [chosen]
        links = re.findall(r'href="([^"]+/pictures/map[^"]+)"\s+download', html)
        assert {urlsplit(link).path for link in links} == {picture(round_, "svg"), picture(round_, "csv")}
        csv_link = next(link for link in links if urlsplit(link).path.endswith("csv"))
        text = client.get(csv_link).content.decode("utf-8-sig")
        for name, across, upwards, _front in list(csv.reader(io.StringIO(text)))[1:]:
            assert (float(across), float(upwards)) == (
                COLUMNS[x](rows[name]),
                COLUMNS[y](rows[name]),
            )
        svg = client.get(next(link for link in links if urlsplit(link).path.endswith("svg"))).content
        assert svg.startswith(b"<?xml") and svg.count(b"<circle") == 24


def test_the_front_is_of_those_that_nobody_beats_in_both(client: Client, round_: Round) -> None:
    """Against the definition: of found and measure lower is better, of the rest higher."""
    text = client.get(picture(round_, "csv"), {"x": "found", "y": "utility"}).content.decode("utf-8-sig")
    rows = [(float(x), float(y), front) for _, x, y, front in list(csv.reader(io.StringIO(text)))[1:]]
    for x, y, front in rows:
        is_beaten = any(a <= x and b >= y and (a, b) != (x, y) for a, b, _ in rows)
        assert front == ("no" if is_beaten else "yes")


def test_the_best_and_my_own_have_their_names_on_the_map(client: Client, round_: Round) -> None:
    ranked = [row for row in page(client, round_).context["rows"] if row.takes_place]
    last = ranked[-1].team_name
    client.force_login(join(round_, last))
    html = page(client, round_).content.decode()
    named = re.findall(r'<text class="c-name"[^>]*>([^<]+)</text>', html)
    assert last in named
    assert set(named) <= {row.team_name for row in ranked[:5]} | {last}
    assert ranked[0].team_name in named


def test_other_views_take_no_more_statements_and_never_push_the_usual_one_out(
    client: Client, round_: Round
) -> None:
    def statements(**asked: str) -> int:
        with CaptureQueriesContext(connection) as captured:
            page(client, round_, **asked)
        return len(captured)

    statements()
    usual = statements()
    for number in range(board_cache._other_views.most + 20):
        assert statements(search=f"{number}", sort="-safety", x="found") == usual
    assert len(board_cache._other_views._values) == board_cache._other_views.most
    kept = len(board_cache._fragments._values)
    statements()
    assert len(board_cache._fragments._values) == kept


def test_arrows_take_two_statements_however_many_rows_there_are(client: Client) -> None:
    round_ = make_round()
    counts = []
    for n in (5, 60):
        Entry.objects.all().delete()
        Team.objects.all().delete()
        fill_board(round_, n)
        Standing.objects.create(
            round=round_, at=timezone.now() - 2 * DAY, board_version=0, places=places_of(round_)[::2]
        )
        bump_board(round_.pk)
        with CaptureQueriesContext(connection) as captured:
            page(client, round_)
        counts.append(len(captured))
    assert counts[0] == counts[1] <= 6
