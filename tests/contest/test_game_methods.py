"""The page about a game's methods, attacks, measures and rules: from its declaration, in both languages."""

from __future__ import annotations

import os

import pytest
from django.test import Client
from django.urls import reverse

from contest.models import Phase
from contest.play.table import Table
from tests.factories import make_contest, make_round
from tests.game_rounds import TOYS, game_contest, make_game_round, sources_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _toys_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAKURENBO_GAMES", os.pathsep.join(map(str, TOYS.values())))


def page_of(place: list[str], language: str) -> str:
    answer = Client(headers={"accept-language": language}).get(reverse("game_methods", args=place))
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.parametrize(
    ("language", "noise", "known"), [("en", "Noise", "takes part"), ("ja", "ノイズ", "参加中")]
)
def test_everything_that_a_game_declares_is_described(language: str, noise: str, known: str) -> None:
    contest, package = game_contest(TOYS["skeleton"])
    round_ = make_game_round(contest, package, sources_of(TOYS["skeleton"]), attacks=["nearest"])
    place = [contest.slug, round_.slug]
    page, declared = page_of(place, language), Table(round_).declared
    for kind, described in (("method", declared.methods), ("attack", declared.attacks)):
        for one in described:
            assert f'id="{kind}-{one.name}"' in page
    assert noise in page and page.count(known) == 1, "of the two attacks one takes part"
    assert "1000" in page and "<code>width</code>" in page, "a parameter with its range"
    for number in declared.measures:
        assert f'id="measure-{number.name}"' in page
    assert "≥ 0" in page
    assert all(rule.formula[language] in page for rule in declared.rules)
    rules = Client().get(reverse("rules", args=place)).content.decode()
    assert reverse("game_methods", args=place) in rules


def test_a_round_without_a_game_and_a_hidden_contest_have_no_such_page() -> None:
    shop = make_round(make_contest(slug="shop"))
    contest, package = game_contest(TOYS["skeleton"], is_public=False)
    hidden = make_game_round(contest, package, sources_of(TOYS["skeleton"]))
    for round_ in (shop, hidden):
        path = reverse("game_methods", args=[round_.contest.slug, round_.slug])
        assert Client().get(path).status_code == 404


def test_where_nobody_hides_only_what_seeks_is_listed() -> None:
    contest, package = game_contest(TOYS["pool"])
    round_ = make_game_round(contest, package, sources_of(TOYS["pool"]))
    Phase.objects.filter(round=round_, kind=Phase.Kind.ANONYMISE).delete()
    page = page_of([contest.slug, round_.slug], "en")
    assert 'id="attack-nearest"' in page
    assert 'id="method-' not in page and 'id="measure-' not in page
