"""The overall result: what it tells whom in which phase, how it is counted, and its files."""

from __future__ import annotations

import csv
import datetime
import io
import os
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from contest.board import queries, single_flight_cache
from contest.board.overall import CountedRound, public_overall, ranked, whole_overall
from contest.board.overall_words import rule_in_words
from contest.models import Contest, Phase, Team
from contest.services.board_versions import bump_board
from contest.services.team_status import remove_team
from tests.factories import make_contest, make_round, make_team, make_user
from tests.game_rounds import TOYS
from tests.overall_rounds import board_of, game_round, house_team, pair, phases, scored, stored

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}
DAY = datetime.timedelta(days=1)


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    monkeypatch.setenv("KAKURENBO_GAMES", os.pathsep.join(map(str, TOYS.values())))
    settings.API_RATES = {"anonymous": None, "token": None, "write": None}
    single_flight_cache.forget_everything()
    cache.clear()


def page(client: Client, contest: Contest) -> str:
    return client.get(f"/contests/{contest.slug}/overall/").content.decode()


def totals(contest: Contest) -> dict[str, tuple[float | None, tuple[float | None, ...]]]:
    return {line.team: (line.total, line.totals) for line in public_overall(contest).lines}


def test_the_total_is_the_weighted_mean_and_absent_rounds_count_nothing() -> None:
    contest, first, final = pair()
    tanuki, kitsune = make_team(contest, "Tanuki"), make_team(contest, "Kitsune")
    scored(first, tanuki, 80, 10)
    scored(final, tanuki, 60, 20)
    scored(final, kitsune, 70, 10)
    # By hand: 80 + 90 = 170 and 60 + 80 = 140, so (1·170 + 9·140) / 10; 9·160 / 10 with nothing in the first.
    assert totals(contest) == {"Kitsune": (144.0, (None, 160.0)), "Tanuki": (143.0, (170.0, 140.0))}
    assert [line.rank for line in public_overall(contest).lines] == [1, 2]


def test_the_house_is_no_competitor_also_where_it_takes_places() -> None:
    contest, first, final = pair(house_takes_places=True)
    house = house_team(contest, "House · swap")
    team = make_team(contest, "Tanuki")
    for round_ in (first, final):
        scored(round_, team, 50)
        scored(round_, house, 99)
    assert next(entry.team for place, entry in queries.places(final, True) if place.rank == 1) == house
    for overall in (public_overall(contest), whole_overall(contest)):
        assert [(line.rank, line.team) for line in overall.lines] == [(1, "Tanuki")]
    assert "House" not in Client().get("/contests/both/overall.csv").content.decode()


def test_a_removed_team_is_not_in_it(client: Client) -> None:
    contest, first, _ = pair()
    team = make_team(contest, "Tanuki")
    scored(first, team, 80)
    assert "Tanuki" in page(client, contest)
    remove_team(team, contest.organisers.get().user, "Broke the rules.")
    assert totals(contest) == {}
    assert "Tanuki" not in page(client, contest)


ROLES = ("visitor", "member", "organiser")


def browsers(contest: Contest, member: Any) -> dict[str, Client]:
    people = {"member": member, "organiser": contest.organisers.get().user}
    found = {}
    for role in ROLES:
        found[role] = Client()
        if role in people:
            found[role].force_login(people[role])
    return found


def test_a_round_counts_from_its_results_on_for_every_role() -> None:
    captain = make_user("captain")
    contest, first, final = pair(feedback="none", phases=phases(3 * DAY))
    team = make_team(contest, "Tanuki", captain)
    scored(first, team, 80, 10)
    scored(final, team, 61.25, 20)
    for role, client in browsers(contest, captain).items():
        text = page(client, contest)
        assert "Final does not count yet: its results are not public." in text, role
        assert "170.00" in text, role
        assert "141.25" not in text, role
        data = client.get("/contests/both/overall.json").json()
        assert data["rows"] == [{"rank": 1, "team": "Tanuki", "total": 170.0, "totals": [170.0]}], role
        assert [round_["why"] for round_ in data["left_out"]] == ["results"], role
        assert "141.25" not in client.get("/contests/both/overall.csv").content.decode(), role
    Phase.objects.filter(round=final).update(starts_at=timezone.now() - DAY)
    for role, client in browsers(contest, captain).items():
        assert "141.25" in page(client, contest), role
    assert totals(contest) == {"Tanuki": (pytest.approx(144.125), (170.0, 141.25))}


def test_nothing_moves_with_what_happens_in_a_round_that_tells_nothing(client: Client) -> None:
    contest, first, final = pair(feedback="none", phases=phases(3 * DAY))
    team = make_team(contest, "Tanuki")
    scored(first, team, 80)
    scored(final, team, 60)
    version, text = client.get("/contests/both/overall.json").json()["version"], page(client, contest)
    tag = client.get("/api/v1/contests/both/overall/").headers["ETag"]
    scored(final, make_team(contest, "Kitsune"), 90)
    bump_board(final.pk, is_seen=False)
    assert client.get("/contests/both/overall.json").json()["version"] == version
    assert client.get("/api/v1/contests/both/overall/").headers["ETag"] == tag
    assert without_tokens(page(client, contest)) == without_tokens(text)


def without_tokens(text: str) -> list[str]:
    return [line for line in text.splitlines() if "csrf" not in line.lower()]


def test_a_hidden_round_does_not_exist_for_anybody_on_this_page() -> None:
    captain = make_user("captain")
    contest, first, _ = pair(is_hidden=True, phases=[
        (Phase.Kind.ANONYMISE, timezone.now() + DAY, timezone.now() + 2 * DAY),
        (Phase.Kind.RESULTS, timezone.now() + 2 * DAY, timezone.now() + 3 * DAY),
    ])  # fmt: skip
    scored(first, make_team(contest, "Tanuki", captain), 80)
    for role, client in browsers(contest, captain).items():
        assert "Final" not in page(client, contest), role
        assert "Final" not in client.get("/api/v1/contests/both/overall/").content.decode(), role
    assert [round_.name for round_ in whole_overall(contest).rounds] == ["First", "Final"]


def test_a_hidden_contest_has_no_overall_page() -> None:
    contest, _, _ = pair()
    Contest.objects.filter(pk=contest.pk).update(is_public=False)
    for path in ("/contests/both/overall/", "/contests/both/overall.csv", "/api/v1/contests/both/overall/",
                 "/api/v1/contests/both/awards/"):  # fmt: skip
        assert Client().get(path).status_code == 404, path
    assert browsers(contest, make_user())["organiser"].get("/contests/both/overall/").status_code == 200


def test_before_anything_is_told_the_page_says_so(client: Client) -> None:
    contest = make_contest(make_user("oni"), slug="both")
    make_round(contest, feedback="none", phases=phases(DAY))
    assert "No round shows its totals yet." in page(client, contest)
    assert client.get("/contests/both/overall.csv").content.decode("utf-8-sig").split() == ["rank,team,total"]


def test_rounds_of_games_count_by_their_main_board(client: Client) -> None:
    contest, first, _ = pair(weight=0)
    game = game_round(contest, slug="game", name="Game", weight=3, position=5)
    tanuki, kitsune, late = (make_team(contest, name) for name in ("Tanuki", "Kitsune", "Late"))
    house = Team.objects.create(
        contest=contest, name="House · noise", name_key="house · noise", is_house=True
    )
    scored(first, tanuki, 60, 0)
    other = board_of([(late, 999.0)]) | {"name": "attackers", "position": 0}
    main = board_of([(house, 200.0), (kitsune, 120.0), (tanuki, 100.0), (late, None)]) | {"position": 1}
    stored(game, other, main)
    # By hand: (160 + 3·100) / 4 and (0 + 3·120) / 4; the house and the other board do not count.
    assert totals(contest) == {
        "Tanuki": (115.0, (160.0, 100.0)),
        "Kitsune": (90.0, (None, 120.0)),
        "Late": (None, (None, None)),
    }
    assert "Final has the weight 0 and does not count." in page(client, contest)
    stored(game, board_of([(kitsune, 500.0)], shown="own row"))
    assert totals(contest)["Tanuki"] == (160.0, (160.0,))
    assert "Game does not count: its board is not shown to everybody." in page(client, contest)
    assert "500" not in client.get("/contests/both/overall.json").content.decode()


def test_a_game_whose_results_are_hidden_does_not_count(client: Client) -> None:
    contest, first, _ = pair(weight=0)
    game = game_round(contest, slug="game", name="Game", feedback="none", position=5, phases=phases(DAY))
    team = make_team(contest, "Tanuki")
    scored(first, team, 60)
    stored(game, board_of([(team, 123.5)]))
    assert totals(contest) == {"Tanuki": (160.0, (160.0,))}
    assert "123.5" not in page(client, contest)


def test_the_last_round_says_which_way_is_better_and_absence_is_no_advantage() -> None:
    teams = {1: "Tanuki", 2: "Kitsune", 3: "Neko"}
    rounds = [
        CountedRound("a", "A", 1, False, 2, {1: 150.0}),
        CountedRound("b", "B", 1, True, 4, {1: 0.4, 2: 0.2, 3: None}),
        CountedRound("c", "C", 1, True, 4, {1: 0.4, 3: 2.5}),
    ]
    overall = ranked(rounds, [], teams)
    assert [round_.slug for round_ in overall.rounds] == ["b", "c"]
    assert [(round_.slug, round_.why) for round_ in overall.left_out] == [("a", "direction")]
    assert overall.absent == 2.5
    assert [(line.rank, line.team, line.total) for line in overall.lines] == [
        (1, "Tanuki", 0.4), (2, "Kitsune", 1.35), (3, "Neko", 2.5)
    ]  # fmt: skip
    assert "The lower total wins." in rule_in_words(overall)


def test_an_entry_that_was_shot_down_has_no_total() -> None:
    contest = make_contest(make_user("oni"), slug="both")
    round_ = make_round(contest, slug="only", ranking="2018", attacks=[])
    shot, safe = make_team(contest, "Shot"), make_team(contest, "Safe")
    # The data as they are lose nothing, and everybody in them is found.
    scored(round_, shot, 100, 100)
    scored(round_, safe, 40, 0)
    assert [(line.rank, line.team) for line in public_overall(contest).lines] == [(1, "Safe"), (None, "Shot")]


def test_the_poll_and_the_program_get_nothing_they_have(client: Client) -> None:
    contest, first, _ = pair()
    scored(first, make_team(contest, "Tanuki"), 80)
    version = client.get("/contests/both/overall.json").json()["version"]
    poll = f"/contests/both/overall/?version={version}"
    assert client.get(poll, headers=HTMX).status_code == 204
    with CaptureQueriesContext(connection) as captured:
        page(client, contest)
    assert len(captured) <= 10
    api = client.get("/api/v1/contests/both/overall/")
    tag = api.headers["ETag"]
    same = client.get("/api/v1/contests/both/overall/", headers={"If-None-Match": tag})
    assert (same.status_code, same.content, same.headers["ETag"]) == (304, b"", tag)
    scored(first, make_team(contest, "Kitsune"), 90)
    changed = client.get(poll, headers=HTMX)
    assert changed.status_code == 200
    assert b"Kitsune" in changed.content
    assert b"<html" not in changed.content
    assert client.get("/api/v1/contests/both/overall/", headers={"If-None-Match": tag}).status_code == 200


def test_the_own_row_is_marked_for_its_team_alone() -> None:
    captain = make_user("captain")
    contest, first, _ = pair()
    scored(first, make_team(contest, "Tanuki", captain), 80)
    found = {role: page(client, contest) for role, client in browsers(contest, captain).items()}
    assert {role for role, text in found.items() if 'class="mine"' in text} == {"member"}


def test_files_hold_what_the_page_shows(client: Client) -> None:
    contest, first, final = pair()
    team = make_team(contest, "=1+1 Tanuki")
    scored(first, team, 80, 10)
    scored(final, team, 60, 20)
    rows = list(
        csv.DictReader(io.StringIO(client.get("/contests/both/overall.csv").content.decode("utf-8-sig")))
    )
    assert [(row["rank"], float(row["total"]), float(row["first"])) for row in rows] == [("1", 143.0, 170.0)]
    assert not rows[0]["team"].startswith("=")
    api = client.get("/api/v1/contests/both/overall/").json()
    expected = {"rank": 1, "team": "=1+1 Tanuki", "total": 143.0, "totals": [170.0, 140.0], "is_mine": False}
    assert api["rows"] == [{**expected, "track": "", "track_place": None}]
    assert api["rule"][0].startswith("Overall total = 0.1 × First + 0.9 × Final")
    assert (api["is_revealed"], api["awards"]) == (False, [])
    assert client.get("/contests/both/overall.xls").status_code == 404


def test_the_page_speaks_both_languages(client: Client) -> None:
    contest, first, _ = pair(feedback="none", phases=phases(DAY))
    scored(first, make_team(contest, "Tanuki"), 80)
    japanese = client.get("/contests/both/overall/", headers={"Accept-Language": "ja"}).content.decode()
    for text in ("総合結果", "計算方法", "総合点"):
        assert text in japanese
    for text in ("Overall total", "How it is computed", "does not count"):
        assert text in page(client, contest)
        assert text not in japanese


def test_the_overall_table_of_2024_comes_out_of_rounds_that_hold_its_totals(shared_data: Path) -> None:
    """0.1 · preliminary + 0.9 · final, as published (shared/data/published), for all teams that handed in."""
    from openpyxl import load_workbook

    sheet = load_workbook(shared_data / "published" / "pwscup2024_main_and_overall.xlsx", data_only=True)
    lines = list(sheet.worksheets[0].iter_rows(min_row=3, max_row=24, values_only=True))
    contest = make_contest(make_user("oni"), slug="pwscup2024")
    rounds = [
        game_round(contest, slug=slug, name=slug, weight=weight, position=position)
        for position, (slug, weight) in enumerate((("preliminary", 0.1), ("final", 0.9)), start=1)
    ]
    teams = [make_team(contest, f"Team {line[1]}") for line in lines]
    # A total of 0 in the sheet is a team that had no entry there.
    for round_, column in zip(rounds, (29, 27), strict=True):
        values = [(team, float(line[column]) or None) for team, line in zip(teams, lines, strict=True)]
        stored(round_, board_of(sorted(values, key=lambda pair: -(pair[1] or -1e9))))
    found = {line.team: line for line in public_overall(contest).lines}
    assert len(found) == len(lines) == 22
    for team, line in zip(teams, lines, strict=True):
        if line[28]:
            assert found[team.name].total == pytest.approx(line[30], abs=1e-9)
            assert found[team.name].rank == line[31], team.name
        else:
            assert found[team.name].rank is None
