"""Public pages of teams and people: what they say, and what they do not say yet."""

from __future__ import annotations

import datetime

import pytest
from django.test import Client
from django.utils import timezone

from contest.models import Contest, Phase, Round, Standing, Team, User
from contest.services.accounts import change_profile
from contest.services.team_status import remove_team
from tests.factories import make_contest, make_round, make_team, make_user

pytestmark = pytest.mark.django_db
HOUR = datetime.timedelta(hours=1)


@pytest.fixture
def team() -> Team:
    contest = make_contest(make_user("oni"), slug="demo")
    round_ = make_round(contest)
    tanuki, kitsune = (make_team(contest, name, make_user(name.lower())) for name in ("Tanuki", "Kitsune"))
    ranks = [(kitsune, 1), (tanuki, 2)]
    places = [{"team": one.pk, "rank": rank, "total": 1.0} for one, rank in ranks]
    Standing.objects.create(round=round_, at=timezone.now(), board_version=1, places=places)
    return tanuki


def page(path: str) -> tuple[int, str]:
    answer = Client().get(path)
    return answer.status_code, answer.content.decode()


def public_page(team: Team) -> tuple[int, str]:
    return page(f"/contests/demo/teams/{team.pk}/public/")


def reveal(team: Team) -> None:
    Phase.objects.filter(round__contest=team.contest, kind="results").delete()
    round_ = Round.objects.get()
    Phase.objects.create(
        round=round_, kind="results", starts_at=timezone.now() - HOUR, ends_at=timezone.now() + HOUR
    )


def test_places_are_shown_once_the_results_are_public(team: Team) -> None:
    Round.objects.update(feedback="none")
    status, body = public_page(team)
    assert status == 200
    assert "No result is public yet." in body
    assert "place 2" not in body
    reveal(team)
    assert "place 2 of 2" in public_page(team)[1]


def test_teams_that_do_not_play_have_no_public_page(team: Team) -> None:
    remove_team(team, User.objects.get(username="oni"), "gone")
    assert public_page(team)[0] == 404
    house = Team.objects.create(contest=team.contest, name="House", name_key="house", is_house=True)
    assert public_page(house)[0] == 404
    Contest.objects.update(is_public=False)
    assert public_page(Team.objects.get(name="Kitsune"))[0] == 404


def test_a_person_is_named_only_by_choice(team: Team) -> None:
    person = User.objects.get(username="tanuki")
    assert page(f"/people/{person.pk}/")[0] == 404
    assert "tanuki" not in public_page(team)[1]
    change_profile(person, alias="", language="", time_zone="", has_public_profile=True)
    status, body = page(f"/people/{person.pk}/")
    assert status == 200
    assert "Tanuki" in body
    assert person.email not in body
    assert f"/people/{person.pk}/" in public_page(team)[1]
    change_profile(person, alias="", language="", time_zone="", has_public_profile=False)
    assert page(f"/people/{person.pk}/")[0] == 404


def test_a_profile_names_no_team_of_a_hidden_contest(team: Team) -> None:
    person = User.objects.get(username="tanuki")
    User.objects.filter(pk=person.pk).update(has_public_profile=True)
    Contest.objects.update(is_public=False)
    status, body = page(f"/people/{person.pk}/")
    assert status == 200
    assert "Tanuki" not in body


def test_the_account_page_has_the_choice_switched_off(team: Team) -> None:
    client = Client()
    client.force_login(User.objects.get(username="tanuki"))
    box = client.get("/account/").context["profile_form"]["has_public_profile"]
    assert box.value() is False
    client.post("/account/profile/", {"profile-has_public_profile": "on"})
    assert User.objects.get(username="tanuki").has_public_profile is True
