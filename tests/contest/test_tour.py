"""The guided tour ticks what a team has done, and every step leads to a page that is there."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from contest.models import Contest
from contest.pages.tour import tour_of
from contest.services.entries import pin_entry
from tests.factories import make_contest, make_entry, make_round, make_team, make_user, work_off

pytestmark = pytest.mark.django_db


def done(user: object, contest: Contest) -> set[str]:
    return {step.name for step in tour_of(user, contest).steps if step.is_done}  # type: ignore[arg-type]


def test_a_team_is_led_step_by_step(client: Client) -> None:
    round_ = make_round()
    contest, neko = round_.contest, make_user()
    assert done(neko, contest) == {"account"}
    team = make_team(contest, captain=neko)
    assert done(neko, contest) == {"account", "team"}
    entry = make_entry(round_, team)
    assert done(neko, contest) == {"account", "team", "upload"}
    work_off()
    entry.refresh_from_db()
    pin_entry(entry, neko)
    assert done(neko, contest) == {"account", "team", "upload", "valid", "choose"}
    tour = tour_of(neko, contest)
    assert tour.next_step is not None and tour.next_step.name == "try" and tour.n_known == 7
    # What one team does is not what another has done.
    other = make_user()
    make_team(contest, captain=other)
    assert done(other, contest) == {"account", "team"}


def test_every_step_leads_somewhere(client: Client) -> None:
    round_ = make_round()
    neko = make_user()
    make_team(round_.contest, captain=neko)
    page = reverse("tour", args=[round_.contest.slug])
    for user in (None, neko):
        if user:
            client.force_login(user)
        answer = client.get(page)
        assert answer.status_code == 200
        for step in answer.context["tour"].steps:
            assert client.get(step.url).status_code in (200, 302), step.url
            assert step.url in answer.content.decode()


def test_a_contest_without_a_round_has_a_tour_too_and_a_hidden_one_has_none(client: Client) -> None:
    shown, hidden = make_contest(), make_contest(is_public=False)
    assert client.get(reverse("tour", args=[shown.slug])).status_code == 200
    assert client.get(reverse("tour", args=[hidden.slug])).status_code == 404


def test_the_tour_costs_few_queries(client: Client, django_assert_max_num_queries: object) -> None:
    round_ = make_round()
    with django_assert_max_num_queries(12):  # type: ignore[operator]
        client.get(reverse("tour", args=[round_.contest.slug]))
