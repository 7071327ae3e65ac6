"""Each registered measure and attack, played in a round: every page about it opens in both languages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import reverse

from contest.models import AttackRun, Entry, Round, User
from contest.views.methods import GALLERY
from games.shop.attacks.registry import ATTACKS
from games.shop.measures.registry import MEASURES
from scoring.rules import Limit
from tests.factories import entry_files, make_contest, make_entry, make_round, make_team, make_user, work_off

pytestmark = pytest.mark.django_db
GENEROUS = tuple(Limit(measure.name, "<=", 1e9) for measure in MEASURES)


@pytest.fixture
def entry(monkeypatch: pytest.MonkeyPatch) -> Entry:
    """An entry that every measure of 2016 has measured and every attack of 2016 has attacked."""
    monkeypatch.setattr("games.shop.attacks.re_ensemble.ENTRIES", 1)
    names = [attack.name for attack in ATTACKS]
    round_ = make_round(make_contest(make_user("oni"), slug="all"), limits=GENEROUS, attacks=names)
    played = make_entry(round_, make_team(round_.contest, "Tanuki", make_user("tanuki")), entry_files("swap"))
    work_off()
    played.refresh_from_db()
    return played


def pages_about(entry: Entry, round_: Round) -> Iterator[str]:
    """Where the names of measures and attacks are shown."""
    place = [round_.contest.slug, round_.slug]
    for name in ("leaderboard", "rules", "matrix", "pictures", "upload", "api-round", "api-leaderboard"):
        yield reverse(name, args=place)
    for name in ("entry", "api-entry"):
        yield reverse(name, args=[*place, entry.pk])
    for measure in MEASURES:
        yield reverse("how", args=[*place, entry.pk, measure.name])
    for run in AttackRun.objects.filter(entry=entry):
        yield reverse("how", args=[*place, entry.pk, f"run-{run.pk}"])
        yield reverse("attack", args=[*place, run.attack_id])


def organisers_pages(round_: Round) -> Iterator[str]:
    place = [round_.contest.slug, round_.slug]
    for name in ("organise_limits", "organise_round_settings"):
        yield reverse(name, args=place)
    for name in ("organise_attacks", "organise_capacity"):
        yield reverse(name, args=place[:1])


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_page_about_an_entry_that_met_them_all_opens(entry: Entry, language: str) -> None:
    assert set(entry.measures) == {measure.name for measure in MEASURES}
    assert AttackRun.objects.filter(entry=entry, state="done").count() == len(ATTACKS)
    shown = {"tanuki": pages_about(entry, entry.round), "oni": organisers_pages(entry.round)}
    for name, paths in shown.items():
        client = Client(headers={"Accept-Language": language})
        client.force_login(User.objects.get(name_key=name))
        for path in paths:
            assert client.get(path).status_code == 200, path


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_method_has_a_page_of_its_own(client: Client, language: str) -> None:
    headers = {"Accept-Language": language}
    index = client.get(reverse("methods"), headers=headers).content.decode()
    for kind, methods in GALLERY.items():
        for method in methods:
            path = reverse("method", args=[kind, method.name])
            assert f'href="{path}"' in index
            assert client.get(path, headers=headers).status_code == 200, path
