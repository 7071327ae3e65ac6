"""Who rose and who fell: by the attacks, and from round to round."""

from __future__ import annotations

import csv
import io
from xml.etree import ElementTree

import pytest
from django.test import Client
from django.urls import reverse

from contest.board import single_flight_cache
from contest.models import Contest, Round, StoredBoard, Team
from contest.models.round import Feedback
from contest.services.tallies import store_boards
from tests.contest.test_screens import HOUR, phases, played_game
from tests.factories import make_contest, make_round, make_team, make_user
from tests.overall_rounds import board_of, reveal, scored

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh() -> None:
    single_flight_cache.forget_everything()


def two_rounds(feedback: str = Feedback.FULL) -> tuple[Contest, Round, Round]:
    """Ann is first before the attacks and last after them in the final; in the practice nobody is found."""
    contest = make_contest(make_user("oni"), slug="demo")
    rounds = [
        make_round(contest, slug=slug, name=slug.title(), position=number, attacks=[], ranking="2024",
                   phases=phases(HOUR), feedback=feedback if slug == "final" else Feedback.FULL)
        for number, slug in enumerate(("practice", "final"))
    ]  # fmt: skip
    for name, utility, hits in (("Ann", 90.0, 80), ("Ben", 80.0, 10), ("Cat", 70.0, 5)):
        team = make_team(contest, name)
        scored(rounds[0], team, utility, 0)
        scored(rounds[1], team, utility, hits)
    return contest, rounds[0], rounds[1]


def picture(round_: Round, name: str, form: str = "csv") -> str:
    return reverse("history_picture", args=[round_.contest.slug, round_.slug, name, form])


def table(client: Client, round_: Round, name: str) -> list[list[str]]:
    text = client.get(picture(round_, name)).content.decode("utf-8-sig")
    return list(csv.reader(io.StringIO(text)))


def test_places_before_and_after_the_attacks_and_from_round_to_round(client: Client) -> None:
    _, practice, final = two_rounds()
    by_attacks = table(client, final, "slope-attacks")
    assert by_attacks[0] == ["Team", "Before", "After"]
    assert sorted(by_attacks[1:]) == [["Ann", "1", "3"], ["Ben", "2", "1"], ["Cat", "3", "2"]]
    by_rounds = table(client, final, "slope-rounds")
    assert by_rounds[0] == ["Team", "Practice", "Final"]
    assert sorted(by_rounds[1:]) == [["Ann", "1", "3"], ["Ben", "2", "1"], ["Cat", "3", "2"]]
    assert client.get(picture(practice, "slope-rounds")).status_code == 404, "no round is before the first"
    page = client.get(reverse("rank_history", args=["demo", "final"])).content.decode()
    assert "Of 3 teams that have a place on both sides, 2 rose and 1 fell." in page


def test_it_is_an_svg_and_a_png_too(client: Client) -> None:
    _, _, final = two_rounds()
    svg = ElementTree.fromstring(client.get(picture(final, "slope-attacks", "svg")).content)
    assert svg.tag == "{http://www.w3.org/2000/svg}svg"
    assert client.get(picture(final, "slope-attacks", "png")).content.startswith(b"\x89PNG")
    assert client.get(picture(final, "slope-attacks", "exe")).status_code == 404
    assert client.get(picture(final, "nothing")).status_code == 404


def test_before_the_reveal_only_organisers_see_them(client: Client) -> None:
    contest, _, final = two_rounds(Feedback.NONE)
    organiser = Client()
    organiser.force_login(contest.organisers.get().user)
    for name in ("slope-attacks", "slope-rounds"):
        assert client.get(picture(final, name)).status_code == 404
        assert organiser.get(picture(final, name)).status_code == 200
    reveal(contest)
    assert client.get(picture(final, "slope-attacks")).status_code == 200


def test_the_places_of_a_hidden_round_are_not_in_the_next_one(client: Client) -> None:
    _, practice, final = two_rounds()
    Round.objects.filter(pk=practice.pk).update(is_hidden=True)
    practice.phases.all().delete()
    assert client.get(picture(final, "slope-rounds")).status_code == 404


def test_games_have_them_too(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    round_ = played_game(monkeypatch, feedback="full")
    foxes, cranes = Team.objects.get(name="Foxes"), Team.objects.get(name="Cranes")
    live, final = board_of([(foxes, 9.0), (cranes, 7.0)]), board_of([(cranes, 5.0), (foxes, 4.0)])
    assert round_.game is not None
    store_boards(round_, round_.game, {StoredBoard.View.LIVE: [live], StoredBoard.View.FINAL: [final]})
    assert sorted(table(client, round_, "slope-attacks")[1:]) == [["Cranes", "2", "1"], ["Foxes", "1", "2"]]
