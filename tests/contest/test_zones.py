"""The zones that forms offer."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from contest.forms.settings import ContestSettingsForm
from contest.forms.zones import REGIONS, common_zones, zone_choices
from contest.models import Contest
from datasets.setting import zones
from tests.factories import make_contest, make_user

pytestmark = pytest.mark.django_db


def test_common_zones_are_places_and_no_older_names() -> None:
    offered = set(common_zones())
    assert offered <= zones()
    assert {
        "UTC",
        "Asia/Tokyo",
        "Europe/Berlin",
        "America/New_York",
        "Asia/Kolkata",
        "Asia/Singapore",
    } <= offered
    for older in ("Etc/GMT+3", "Asia/Calcutta", "US/Eastern", "Japan", "GB", "Asia/Saigon", "EST", "GMT"):
        assert older not in offered
    assert [name for name, _ in zone_choices()] == ["UTC", *REGIONS]


def test_a_zone_by_an_older_name_stays_chosen() -> None:
    contest = make_contest(time_zone="Asia/Calcutta")
    form = ContestSettingsForm(contest)
    assert '<option value="Asia/Calcutta" selected>' in str(form["time_zone"])
    assert str(form["time_zone"]).count("selected") == 1
    assert "Asia/Calcutta" not in str(ContestSettingsForm(make_contest(time_zone="UTC"))["time_zone"])


def test_a_profile_keeps_a_zone_by_an_older_name_and_refuses_what_is_none() -> None:
    person = make_user("tanuki", time_zone="Asia/Calcutta")
    client = Client()
    client.force_login(person)
    url = reverse("account_profile")
    client.post(url, {"profile-time_zone": "Asia/Calcutta"})
    person.refresh_from_db()
    assert person.time_zone == "Asia/Calcutta"
    client.post(url, {"profile-time_zone": "Middle/Earth"})
    person.refresh_from_db()
    assert person.time_zone == "Asia/Calcutta" and not Contest.objects.exists()


def test_only_pages_with_a_choice_of_zones_load_its_script() -> None:
    person = make_user("oni")
    contest = make_contest(person)
    client = Client()
    client.force_login(person)
    for page in (reverse("account"), reverse("organise_contest_settings", args=[contest.slug])):
        assert client.get(page).content.decode().count("js/zones.js") == 1, page
    assert "js/zones.js" not in client.get(contest.get_absolute_url()).content.decode()
