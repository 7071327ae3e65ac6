"""Tracks on every board: marks, the filter, places within a track, files and the API."""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from contest.board import single_flight_cache
from contest.board.board_cache import ROWS_A_PAGE
from contest.models import Contest, Entry, Round, Team
from contest.services.board_versions import bump_board
from contest.services.team_life import change_track
from contest.services.teams import create_team
from tests.contest.test_game_board_views import fill, names
from tests.contest.test_leaderboard import MAX_BYTES, MAX_QUERIES, fill_board, weight_of
from tests.factories import make_contest, make_round, make_team, make_user
from tests.game_rounds import TOYS, game_contest, make_game_round, sources_of
from tests.overall_rounds import pair, scored
from tests.services.test_tracks import TRACKS

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}
STUDENTS = "?track=student"


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    monkeypatch.setenv("KAKURENBO_GAMES", os.pathsep.join(map(str, TOYS.values())))
    settings.API_RATES = {"anonymous": None, "token": None, "write": None}
    single_flight_cache.forget_everything()
    cache.clear()


def split(contest: Contest) -> None:
    """Every third team are students, the others professionals."""
    Contest.objects.filter(pk=contest.pk).update(tracks=TRACKS)
    for number, team in enumerate(Team.objects.filter(contest=contest, is_house=False).order_by("pk")):
        Team.objects.filter(pk=team.pk).update(track="pro" if number % 3 else "student")
    for round_id in contest.rounds.values_list("pk", flat=True):
        bump_board(round_id)


def tracked_round(n: int) -> Round:
    round_ = make_round()
    fill_board(round_, n)
    split(round_.contest)
    return Round.objects.select_related("contest").get(pk=round_.pk)


def api_of(round_: Round) -> str:
    return f"/api/v1/contests/{round_.contest.slug}/rounds/{round_.slug}/"


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))


def by_hand(rows: list[dict[str, Any]], track: str) -> list[tuple[str, int, int]]:
    """The teams of a track from the whole board: name, place overall, and the number in the track."""
    own = [row for row in rows if row["track"] == track]
    return [(row["team_name"], row["rank"], number) for number, row in enumerate(own, start=1)]


def test_the_board_of_a_track_has_its_teams_with_both_places(client: Client) -> None:
    url = tracked_round(30).get_absolute_url()
    everybody = client.get(f"{url}board.json").json()["rows"]
    expected = by_hand(everybody, "student")
    assert len(expected) == 10
    html = client.get(url + STUDENTS, headers=HTMX).content.decode()
    found = re.findall(
        r'rank">(\d+).*?</td>\s*<td class="num">(\d+)</td>\s*<th scope="row">\s*<a [^>]+>(Team \d+)<',
        html,
        re.DOTALL,
    )
    assert [(name, int(place), int(within)) for place, within, name in found] == expected
    # Once above the table: a mark in every row would say the same.
    assert html.count('<span class="badge track">Students</span>') == 1
    assert "Professionals" not in html
    # The link to the next poll, to a sorted table and to the files keep the track.
    assert re.search(r'hx-get="[^"]*\?track=student&amp;', html)
    assert 'href="?sort=-utility&amp;track=student"' in html
    assert f"{url}board.csv?track=student" in html
    # So does the map, and its file.
    assert client.get(f"{url}pictures/map.svg?track=student").content.count(b"<circle") == 10
    assert f"{url}pictures/map.svg?track=student" in html


def test_the_whole_board_marks_the_tracks_and_offers_them(client: Client) -> None:
    round_ = tracked_round(6)
    html = client.get(round_.get_absolute_url()).content.decode()
    assert html.count('<span class="badge track">') == 6
    assert '<option value="student"' in html
    assert "In the track" not in html
    japanese = client.get(round_.get_absolute_url() + STUDENTS, headers={"accept-language": "ja"})
    assert '<span class="badge track">学生</span>' in japanese.content.decode()


def test_a_board_without_tracks_speaks_of_none_and_ignores_the_question(client: Client) -> None:
    round_ = make_round()
    fill_board(round_, 3)
    html = client.get(round_.get_absolute_url() + STUDENTS).content.decode()
    assert html.count('scope="row"') == 3
    assert "badge track" not in html and "board-track" not in html
    assert "track" not in client.get(f"{round_.get_absolute_url()}board.json").json()["rows"][0]


def test_files_hold_the_track_that_was_asked_for_and_there_is_none_of_another(client: Client) -> None:
    url = tracked_round(9).get_absolute_url()
    everybody = client.get(f"{url}board.json").json()["rows"]
    expected = by_hand(everybody, "pro")
    rows = client.get(f"{url}board.json?track=pro").json()["rows"]
    assert [(row["team_name"], row["rank"], row["track_place"]) for row in rows] == expected
    listed = table(client.get(f"{url}board.csv?track=pro").content.decode())
    assert [(row["team_name"], int(row["rank"]), int(row["track_place"])) for row in listed] == expected
    for kind in ("csv", "json"):
        assert client.get(f"{url}board.{kind}?track=banana").status_code == 404


def test_the_api_gives_the_board_of_a_track(client: Client) -> None:
    round_ = tracked_round(9)
    api = f"{api_of(round_)}leaderboard/"
    everybody = client.get(api).json()["results"]
    answer = client.get(api + STUDENTS)
    rows = answer.json()["results"]
    assert rows == [row for row in everybody if row["track"] == "student"]
    assert [row["track_place"] for row in rows] == [1, 2, 3]
    same = client.get(api + STUDENTS, headers={"if-none-match": answer["ETag"]})
    other = client.get(f"{api}?track=pro", headers={"if-none-match": answer["ETag"]})
    assert (same.status_code, other.status_code) == (304, 200)
    wrong = client.get(f"{api}?track=banana")
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (422, "no-such-track")
    assert "student, pro" in wrong.json()["error"]["message"]
    contest = client.get(f"/api/v1/contests/{round_.contest.slug}/").json()
    assert [track["name"] for track in contest["tracks"]] == ["student", "pro"]


def test_my_place_is_found_from_the_board_of_another_track(client: Client) -> None:
    contest = make_contest(tracks=TRACKS)
    round_ = make_round(contest)
    captain = make_user("tanuki")
    team = create_team(contest, captain, "Tanuki", "pro")
    scored(round_, team, 80, 10)
    scored(round_, create_team(contest, make_user(), "Kitsune", "student"), 70, 10)
    client.force_login(captain)
    html = client.get(round_.get_absolute_url() + STUDENTS).content.decode()
    assert "Tanuki</a>" not in html
    assert 'href="?me=1#mine"' in html


def test_a_change_of_a_track_shows_at_once(client: Client) -> None:
    contest = make_contest(tracks=TRACKS)
    round_ = make_round(contest)
    captain = make_user("tanuki")
    team = create_team(contest, captain, "Tanuki", "pro")
    scored(round_, team, 80, 10)
    url = round_.get_absolute_url() + STUDENTS
    assert "Tanuki" not in client.get(url).content.decode()
    change_track(team, captain, "student")
    assert "Tanuki" in client.get(url).content.decode()
    log = client.get(f"/contests/{contest.slug}/changes/").content.decode()
    assert "The team Tanuki changed its track: pro → student." in log


@pytest.mark.parametrize("asked", ["", STUDENTS])
def test_a_large_board_of_tracks_needs_few_queries_and_few_bytes(
    asked: str, client: Client, django_assert_max_num_queries: Any
) -> None:
    url = tracked_round(1000).get_absolute_url() + asked
    client.get(url)
    with django_assert_max_num_queries(MAX_QUERIES):
        response = client.get(url, headers={"accept-encoding": "gzip"})
    html = gzip.decompress(response.content).decode()
    assert html.count('scope="row"') == ROWS_A_PAGE
    weight = weight_of(html)
    print(f"page {len(response.content)} B + assets {weight} B gzipped")
    assert len(response.content) + weight <= MAX_BYTES


def test_boards_of_games_are_filtered_alike(client: Client) -> None:
    contest, package = game_contest(TOYS["locket"])
    round_ = make_game_round(contest, package, sources_of(TOYS["locket"]))
    fill(round_)
    split(contest)
    url = round_.get_absolute_url()
    html = client.get(url + STUDENTS, headers=HTMX).content.decode()
    # Aki and Fuyu have the places 1 and 4 overall.
    assert names(html) == ["Aki", "Fuyu"]
    places = re.findall(r'<td class="num">(\d+)</td>', html)
    assert places[:2] == ["1", "2"]
    assert html.count("Students</span>") == 1
    rows = client.get(f"{url}board.json{STUDENTS}").json()["boards"][0]["rows"]
    expected = [("Aki", 1, 1), ("Fuyu", 4, 2)]
    assert [(row["name"], row["place"], row["track_place"]) for row in rows] == expected
    listed = table(client.get(f"{url}board.csv{STUDENTS}").content.decode())
    assert [(row["name"], int(row["place"]), int(row["track_place"])) for row in listed] == expected
    assert client.get(f"{url}board.csv?track=banana").status_code == 404
    answer = client.get(f"{api_of(round_)}boards/{STUDENTS}").json()["boards"][0]["rows"]
    assert [(row["name"], row["place"], row["track_place"]) for row in answer] == expected


def test_own_rows_alone_tell_the_true_place_within_the_track(client: Client) -> None:
    contest, package = game_contest(TOYS["locket"])
    round_ = make_game_round(contest, package, sources_of(TOYS["locket"]))
    fill(round_, shown="own row")
    split(contest)
    fuyu = Team.objects.get(name="Fuyu").memberships.get().user
    client.force_login(fuyu)
    html = client.get(round_.get_absolute_url() + STUDENTS, headers=HTMX).content.decode()
    assert names(html) == ["Fuyu"]
    assert '<td class="num">2</td>' in html


def test_the_overall_result_is_filtered_alike(client: Client) -> None:
    contest, _first, final = pair()
    for name, utility in (("Tanuki", 80), ("Kitsune", 70), ("Neko", 60), ("Kappa", 50)):
        scored(final, make_team(contest, name), utility, 10)
    split(contest)
    url = f"/contests/{contest.slug}/overall"
    html = client.get(f"{url}/{STUDENTS}", headers=HTMX).content.decode()
    # Tanuki and Kappa are students, on the places 1 and 4 of 4.
    assert "Tanuki" in html and "Kappa" in html and "Kitsune" not in html
    assert re.search(r'hx-get="[^"]*/\?track=student&amp;', html)
    rows = client.get(f"{url}.json{STUDENTS}").json()["rows"]
    expected = [("Tanuki", 1, 1), ("Kappa", 4, 2)]
    assert [(row["team"], row["rank"], row["track_place"]) for row in rows] == expected
    listed = table(client.get(f"{url}.csv{STUDENTS}").content.decode())
    assert [(row["team"], int(row["rank"]), int(row["track_place"])) for row in listed] == expected
    answer = client.get(f"/api/v1/contests/{contest.slug}/overall/{STUDENTS}").json()["rows"]
    assert [(row["team"], row["rank"], row["track_place"]) for row in answer] == expected
    page = client.get(f"{url}/?track=banana").content.decode()
    assert "Kitsune" in page and 'id="board-track"' in page


def test_the_pages_of_a_team_choose_and_show_its_track(client: Client) -> None:
    contest = make_contest(tracks=TRACKS)
    captain = make_user("tanuki")
    client.force_login(captain)
    form = client.get(f"/contests/{contest.slug}/teams/new/").content.decode()
    assert "Students" in form and "Professionals" in form
    without = client.post(f"/contests/{contest.slug}/teams/new/", {"name": "Tanuki"})
    assert without.status_code == 422 and not Team.objects.exists()
    client.post(f"/contests/{contest.slug}/teams/new/", {"name": "Tanuki", "track": "student"})
    team = Team.objects.get()
    page = client.get(team.get_absolute_url()).content.decode()
    assert '<span class="badge">Students</span>' in page
    client.post(f"{team.get_absolute_url()}track/", {"track": "pro"})
    public = client.get(f"{team.get_absolute_url()}public/", headers={"accept-language": "ja"})
    assert "社会人" in public.content.decode()
    assert not Entry.objects.exists()
