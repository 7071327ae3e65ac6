"""Limits that house entries keep, on the page and in the API."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from contest.models import Entry, Round, User
from contest.pages.limit_proposals import proposals
from contest.services.house import request_house_entry
from contest.services.tokens import create_token
from tests.factories import make_contest, make_round, make_user, work_off

pytestmark = pytest.mark.django_db


@pytest.fixture
def oni() -> User:
    return make_user("oni")


@pytest.fixture
def round_(oni: User) -> Round:
    """A round with two house entries: one hardly changes the data, one much."""
    made = make_round(make_contest(oni))
    for share in (0.05, 0.5):
        request_house_entry(made, oni, "swap", {"share": share}, 1)
    work_off()
    return made


def test_the_strictest_limits_are_kept_by_the_best_house_entry(round_: Round) -> None:
    strict, lenient = proposals(round_)
    assert (strict.kept_by, lenient.kept_by, strict.of) == (1, 2, 2)
    mild, strong = Entry.objects.filter(round=round_).order_by("utility").reverse()
    assert all(limit.holds(mild.measures[limit.measure]) for limit in strict.limits)
    assert not all(limit.holds(strong.measures[limit.measure]) for limit in strict.limits)
    assert all(limit.holds(strong.measures[limit.measure]) for limit in lenient.limits)
    assert {limit.measure for limit in strict.limits} == {"ut-jaccard", "subset", "cmae", "rfm"}


def test_page_and_api_offer_them_and_the_form_takes_them(round_: Round, oni: User) -> None:
    client = Client()
    client.force_login(oni)
    url = reverse("organise_limits", args=[round_.contest.slug, round_.slug])
    page = client.get(url, {"kept_by": "1"})
    assert "1 of 2 house entries" in page.content.decode()
    strict = {limit.measure: limit.limit for limit in proposals(round_)[0].limits}
    form = page.context["form"]
    assert {name: form.fields[f"limit_{name}"].initial for name in strict} == strict
    headers = {"authorization": f"Bearer {create_token(oni, 'test', ['organise'], 1)}"}
    path = f"/api/v1/contests/{round_.contest.slug}/rounds/{round_.slug}/limit-proposals/"
    said = Client().get(path, headers=headers).json()["proposals"]
    assert [row["kept_by"] for row in said] == [1, 2]
    assert {line["measure"]: line["limit"] for line in said[0]["limits"]} == strict


def test_without_house_entries_the_page_says_when_there_will_be_proposals(oni: User) -> None:
    round_ = make_round(make_contest(oni))
    client = Client()
    client.force_login(oni)
    page = client.get(reverse("organise_limits", args=[round_.contest.slug, round_.slug])).content.decode()
    assert proposals(round_) == [] and "limits that they keep are proposed here" in page
