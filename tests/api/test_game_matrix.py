"""`matrix/` of a round of a game: each challenge has its cells, and everybody sees what the page shows."""

from __future__ import annotations

import datetime
import os

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from contest.models import AttackRun, Entry, Phase, Round, Team
from contest.services.tokens import create_token
from tests.api.conftest import Caller
from tests.factories import make_entry, make_team, work_off
from tests.game_rounds import TOYS, answer, attack_files, game_contest, make_game_round, method_files

pytestmark = pytest.mark.django_db
PATH = "contests/lanterns/rounds/practice/matrix/"
NOTHING = {"is_shown": False, "entries": [], "rows": [], "challenges": []}


@pytest.fixture(autouse=True)
def _toys_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAKURENBO_GAMES", os.pathsep.join(map(str, TOYS.values())))


@pytest.fixture
def teams() -> list[Team]:
    """A round with two challenges, in which two teams hide and one of them seeks."""
    contest, package = game_contest(TOYS["pair"], slug="lanterns", is_public=True)
    found = [make_team(contest, "Aki"), make_team(contest, "Haru")]
    round_ = make_game_round(contest, package, attacks=["by-age"])
    for team in found:
        make_entry(round_, team, method_files(round_, team, "flip"))
    work_off()
    answer(round_, found[1], attack_files(round_, found[1], "by-age"))
    work_off()
    return found


def callers(teams: list[Team]) -> dict[str, Caller]:
    organiser = teams[0].contest.organisers.select_related("user").get().user
    users = {"member": teams[0].memberships.select_related("user").get().user, "organiser": organiser}
    tokens = {who: create_token(user, "x", ["read", "organise"], 7) for who, user in users.items()}
    return {"visitor": Caller(), **{who: Caller(token) for who, token in tokens.items()}}


def test_every_challenge_has_its_own_cells(teams: list[Team]) -> None:
    found = Caller().get(PATH).json()
    assert found["is_shown"] and found["rows"] == []
    assert {entry["team"] for entry in found["entries"]} == {"Aki", "Haru"}
    assert [one["name"] for one in found["challenges"]] == ["mia", "aia"]
    aki = Entry.objects.get(team=teams[0])
    for one in found["challenges"]:
        assert sorted(one["targets"]) == sorted(entry["id"] for entry in found["entries"])
        lines = {line["attacker"]: line for line in one["rows"]}
        assert set(lines) == {"Haru", "by-age"}
        assert [lines[name]["is_house"] for name in ("Haru", "by-age")] == [False, True]
        run = AttackRun.objects.get(attack__team=teams[1], entry=aki, challenge=one["name"])
        assert lines["Haru"]["cells"] == [{"entry_id": aki.pk, "state": "done", "risk": run.risk}]
        assert lines["Haru"]["attack_id"] == run.attack_id
        assert len(lines["by-age"]["cells"]) == 2


@pytest.mark.parametrize("feedback", ["full", "bands", "none"])
@pytest.mark.parametrize("has_results", [False, True])
def test_it_shows_to_everybody_what_the_page_shows(
    teams: list[Team], feedback: str, has_results: bool, client: Client
) -> None:
    round_ = Round.objects.get(contest=teams[0].contest)
    Round.objects.filter(pk=round_.pk).update(feedback=feedback)
    if has_results:
        began = timezone.now() - datetime.timedelta(hours=1)
        Phase.objects.filter(round=round_).exclude(kind=Phase.Kind.RESULTS).update(ends_at=began)
        Phase.objects.filter(round=round_, kind=Phase.Kind.RESULTS).update(starts_at=began)
    for who, caller in callers(teams).items():
        told = caller.get(PATH).json()
        shown = who == "organiser" or feedback == "full" or has_results
        assert told["is_shown"] is shown, who
        assert shown or told == NOTHING, who
        if who == "visitor":
            page = client.get(reverse("matrix", args=["lanterns", "practice"])).content.decode()
            assert ('class="matrix"' in page) is shown


def test_a_hidden_contest_has_one_for_its_organisers_alone(teams: list[Team]) -> None:
    type(teams[0].contest).objects.filter(pk=teams[0].contest_id).update(is_public=False)
    by_role = {who: caller.get(PATH).status_code for who, caller in callers(teams).items()}
    assert by_role == {"visitor": 404, "member": 404, "organiser": 200}
