"""Pictures of shared links: a PNG of the right size with what everybody may see, drawn once per state."""

from __future__ import annotations

import io

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from PIL import Image

from contest.board import single_flight_cache
from contest.models import Contest, Phase, Round
from contest.models.round import Feedback
from contest.pages import share
from contest.pages.share import picture_of_contest, picture_of_round
from contest.services.board_versions import bump_board
from tests.contest.test_screens import HOUR, address, played, played_game
from tests.factories import make_contest, make_user
from tests.overall_rounds import reveal

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh() -> None:
    single_flight_cache.forget_everything()


def contest_address() -> str:
    return reverse("contest_share", args=["demo"])


def test_it_is_a_png_of_the_size_that_other_sites_want(client: Client) -> None:
    round_ = played()
    for url in (address(round_, "round_share"), contest_address()):
        answer = client.get(url)
        assert answer.headers["Content-Type"] == "image/png"
        with Image.open(io.BytesIO(answer.content)) as picture:
            assert (picture.format, picture.size) == ("PNG", (1200, 630))
        known = {"If-None-Match": answer.headers["ETag"]}
        assert client.get(url, headers=known).status_code == 304
        assert client.get(f"{url}?lang=ja", headers=known).status_code == 200


def test_it_shows_the_first_three_places() -> None:
    round_ = played()
    rows = picture_of_round(round_).card.rows
    assert [row[:2] for row in rows] == [("1", "Ann <b>"), ("2", "Ben"), ("3", "Cat")]
    assert picture_of_contest(round_.contest).card.rows == rows


def test_it_shows_the_first_three_places_of_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    card = picture_of_round(played_game(monkeypatch)).card
    assert [row[:2] for row in card.rows] == [("1", "Foxes"), ("2", "Cranes"), ("3", "Turtles")]


def test_it_is_drawn_once_for_each_state(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    round_ = played()
    drawn = []
    monkeypatch.setattr(share, "share_png", lambda card: drawn.append(card) or b"png")
    for number in range(3):
        client.get(address(round_, "round_share") + f"?v={number}")
    assert len(drawn) == 1


@pytest.mark.parametrize("feedback", [Feedback.BANDS, Feedback.NONE])
def test_before_the_reveal_it_shows_no_place(client: Client, feedback: str) -> None:
    round_ = played(feedback)
    client.force_login(round_.contest.organisers.get().user)
    url = address(round_, "round_share")
    before = client.get(url)
    assert picture_of_round(round_).card.rows == ()
    round_.entries.update(numbers={"hits": 77}, risk=0.77)
    bump_board(round_.pk)
    single_flight_cache.forget_everything()
    assert client.get(url).content == before.content
    reveal(round_.contest)
    single_flight_cache.forget_everything()
    assert client.get(url).content != before.content


def test_drafts_and_hidden_rounds_have_no_picture(client: Client) -> None:
    round_ = played()
    Round.objects.update(is_hidden=True)
    later = timezone.now() + HOUR
    Phase.objects.update(starts_at=later, ends_at=later + HOUR)
    single_flight_cache.forget_everything()
    assert client.get(address(round_, "round_share")).status_code == 404
    assert picture_of_contest(round_.contest).card.rows == ()
    Contest.objects.update(is_public=False)
    assert client.get(contest_address()).status_code == 404
    client.force_login(round_.contest.organisers.get().user)
    assert client.get(contest_address()).headers["Cache-Control"] == "private, no-store"


def test_a_contest_without_rounds_has_a_picture(client: Client) -> None:
    make_contest(make_user("oni"), slug="demo")
    assert client.get(contest_address()).status_code == 200


@pytest.mark.parametrize("query", ["lang=%00", "lang=../..", "v=%27%22%3E%3Cscript%3E"])
def test_hostile_questions_change_nothing(client: Client, query: str) -> None:
    round_ = played()
    url = address(round_, "round_share")
    assert client.get(f"{url}?{query}").content == client.get(url).content
