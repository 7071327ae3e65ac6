"""The pages on which the house makes an entry or an attack for a team."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from anonymizers.release import CannotProtect
from contest.models import Attack, Entry, Phase, Round, TeamOrder
from contest.services.team_orders import Asked, request_entry
from contest.work import team_orders as work
from tests.factories import make_contest, make_entry, make_round, make_team, make_user, work_off
from tests.game_rounds import DAY, TOYS, game_contest, make_game_round

pytestmark = pytest.mark.django_db

SEED = 987_654_321_012_345


def phases() -> list[Any]:
    now = timezone.now()
    return [
        (Phase.Kind.ANONYMISE, now - DAY, now + DAY),
        (Phase.Kind.ATTACK, now - DAY, now + DAY),
        (Phase.Kind.RESULTS, now + DAY, now + 2 * DAY),
    ]


@pytest.fixture
def round_() -> Round:
    return make_round(make_contest(make_user("oni"), slug="demo"), phases=phases())


def player(round_: Round, name: str = "Tanuki") -> Client:
    user = make_user(name.lower())
    make_team(round_.contest, name, user)
    work_off()
    client = Client()
    client.force_login(user)
    return client


def url(round_: Round, name: str, *more: Any) -> str:
    return reverse(name, args=[round_.contest.slug, round_.slug, *more])


def test_from_the_upload_page_to_the_entry(round_: Round) -> None:
    client = player(round_)
    page = client.get(url(round_, "upload")).content.decode()
    assert "Hide them with a house method" in page and '<option value="swap">' in page
    form = url(round_, "house_hide") + "?method=swap"
    page = client.get(form).content.decode()
    assert 'name="param-share"' in page and "share: a number from 0 to 1, usually" in page
    answer = client.post(form, {"param-share": "0.5", "param-what": "purchase", "hand-in": "1"})
    order = TeamOrder.objects.get()
    assert answer["Location"] == order.get_absolute_url()
    waiting = client.get(order.get_absolute_url()).content.decode()
    assert 'hx-trigger="every 2s"' in waiting and "It is next in the queue." in waiting
    work_off()
    entry = Entry.objects.get()
    assert client.get(order.get_absolute_url())["Location"] == entry.get_absolute_url()
    polled = client.get(order.get_absolute_url(), headers={"HX-Request": "true"})
    assert polled["HX-Redirect"] == entry.get_absolute_url()
    page = client.get(entry.get_absolute_url()).content.decode()
    assert "swap (share=0.5, what=purchase)" in page and str(order.seed) in page


def test_a_wrong_parameter_and_a_second_click_are_said_on_the_page(round_: Round) -> None:
    client = player(round_)
    form = url(round_, "house_hide") + "?method=swap"
    answer = client.post(form, {"param-share": "2", "param-what": "purchase", "hand-in": "1"})
    assert answer.status_code == 422
    assert "expected a number from 0 to 1" in answer.content.decode()
    good = {"param-share": "0.5", "param-what": "purchase", "hand-in": "1"}
    assert client.post(form, good).status_code == 302
    again = client.post(form, good)
    assert again.status_code == 422
    assert "The house still makes what your team asked for last" in again.content.decode()
    assert TeamOrder.objects.count() == 1


def test_the_seed_and_the_files_are_the_teams_alone(round_: Round) -> None:
    client = player(round_)
    user = round_.contest.teams.get(name="Tanuki").memberships.get().user
    team = round_.contest.teams.get(name="Tanuki")
    order = request_entry(round_, team, user, Asked("swap", seed=SEED))
    work_off()
    order.refresh_from_db()
    files = client.get(url(round_, "team_order_files", order.pk))
    content = b"".join(files.streaming_content)  # type: ignore[attr-defined]
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert sorted(archive.namelist()) == ["M.csv", "P.csv", "T.csv"]
    organiser = Client()
    organiser.force_login(round_.contest.organisers.get().user)
    for other in (organiser, player(round_, "Kappa"), Client()):
        for page in (url(round_, "team_order", order.pk), url(round_, "team_order_files", order.pk)):
            assert other.get(page).status_code in (302, 404)
        entry = other.get(order.entry.get_absolute_url())  # type: ignore[union-attr]
        assert entry.status_code == 200
        assert str(SEED) not in entry.content.decode()
    assert "swap (" in organiser.get(order.entry.get_absolute_url()).content.decode()  # type: ignore[union-attr]


def test_a_failure_is_said_and_leads_back(round_: Round, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> None:
        raise CannotProtect("too few rows")

    monkeypatch.setattr(work, "run_anonymizer", fails)
    client = player(round_)
    form = url(round_, "house_hide") + "?method=swap"
    client.post(form, {"param-share": "0.5", "param-what": "purchase", "make": "1"})
    work_off()
    page = client.get(TeamOrder.objects.get().get_absolute_url()).content.decode()
    assert "The method cannot protect these data: too few rows" in page
    assert url(round_, "upload") + "#house" in page


def test_a_house_attack_from_the_seek_page(round_: Round) -> None:
    client = player(round_)
    assert "Try a house attack" not in client.get(url(round_, "seek")).content.decode()
    assert client.get(url(round_, "house_seek"))["Location"] == url(round_, "seek")
    target = make_entry(round_, make_team(round_.contest, "Owls"))
    work_off()
    assert "Try a house attack on an entry" in client.get(url(round_, "seek")).content.decode()
    page = client.get(url(round_, "house_seek")).content.decode()
    assert "Owls" in page
    client.post(url(round_, "house_seek"), {"attack": "re-itemset", "targets": [target.pk], "hand-in": "1"})
    work_off()
    order, attack = TeamOrder.objects.get(), Attack.objects.get(team__name="Tanuki")
    assert client.get(order.get_absolute_url())["Location"] == attack.get_absolute_url()


def test_outside_the_phase_files_can_only_be_made(round_: Round) -> None:
    client = player(round_)
    round_.phases.filter(kind=Phase.Kind.ANONYMISE).update(closed_at=timezone.now(), ends_at=timezone.now())
    page = client.get(url(round_, "house_hide") + "?method=shuffle").content.decode()
    assert "Make it and hand it in" not in page and "Only make the files" in page


def test_a_newcomer_is_led_to_it_by_the_team_page_and_the_tour(round_: Round) -> None:
    client = player(round_)
    team = round_.contest.teams.get(name="Tanuki")
    way = url(round_, "upload") + "#house"
    assert way in client.get(team.get_absolute_url()).content.decode()
    assert way in client.get(reverse("tour", args=[round_.contest.slug])).content.decode()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_round_of_a_game_in_both_languages(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAKURENBO_GAMES", str(TOYS["pair"]))
    contest, package = game_contest(TOYS["pair"])
    round_ = make_game_round(contest, package, attacks=["by-age"])
    client = player(round_)
    headers = {"Accept-Language": language}
    page = client.get(url(round_, "upload"), headers=headers).content.decode()
    words = {"en": "Hide them with a house method", "ja": "標準の手法で隠す"}
    assert words[language] in page and '<option value="flip">' in page
    form = url(round_, "house_hide") + "?method=flip"
    assert 'name="param-share"' in client.get(form, headers=headers).content.decode()
    client.post(form, {"param-share": "0.2", "hand-in": "1"}, headers=headers)
    work_off()
    entry = Entry.objects.get(team__name="Tanuki")
    assert entry.state == Entry.State.VALID
    kappa = player(round_, "Kappa")
    page = kappa.get(url(round_, "house_seek"), headers=headers).content.decode()
    assert {"en": "Try a house attack on an entry", "ja": "標準の攻撃を試す"}[language] in page
    kappa.post(url(round_, "house_seek"), {"attack": "by-age", "hand-in": "1"}, headers=headers)
    work_off()
    assert Attack.objects.get(team__name="Kappa").state == Attack.State.JUDGED
