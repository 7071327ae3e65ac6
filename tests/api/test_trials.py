"""Trials of another version through the API, with the bounds and words of the pages.

All numbers are counted by hand from the four ages in `tests/game_versions.py`.
"""

from __future__ import annotations

import io
from typing import Any

import pytest

from contest.models import GamePackage, Job, Round, StoredBoard, Trial, User
from contest.services.game_packages import upload_game
from contest.services.tokens import create_token
from tests.api.conftest import Caller
from tests.factories import make_contest, make_entry, make_team, make_user, work_off
from tests.game_rounds import make_game_round
from tests.game_versions import EXACT, NEAR, PEOPLE, mini, trust_uploads, version_2

pytestmark = pytest.mark.django_db
PATH = "contests/minis/"
TRIALS = f"{PATH}rounds/practice/trials/"


@pytest.fixture(autouse=True)
def _uploads_are_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    trust_uploads(monkeypatch)


def organiser(contest: Any) -> User:
    user: User = contest.organisers.select_related("user").get().user
    return user


def uploaded(contest: Any, content: bytes) -> GamePackage:
    package = upload_game(contest, organiser(contest), io.BytesIO(content))
    Job.objects.filter(game=package).delete()
    GamePackage.objects.filter(pk=package.pk).update(state=GamePackage.State.READY)
    return package


@pytest.fixture
def played() -> Round:
    """Aki leaves three ages as they are, Haru moves all by one year."""
    contest = make_contest(slug="minis")
    package = uploaded(contest, mini())
    package.refresh_from_db()
    aki, haru = make_team(contest, "Aki"), make_team(contest, "Haru")
    round_ = make_game_round(contest, package, {"people.csv": PEOPLE}, attacks=["copy"])
    make_entry(round_, aki, EXACT)
    make_entry(round_, haru, NEAR)
    work_off()
    return round_


@pytest.fixture
def caller(played: Round) -> Caller:
    return Caller(create_token(organiser(played.contest), "organise", ["read", "organise"], 7))


def begun(played: Round, caller: Caller, content: bytes) -> int:
    """A version that is uploaded and tried; the number of its trial."""
    sent = caller.send(TRIALS, {"game": uploaded(played.contest, content).pk})
    assert sent.status_code == 201, sent.content
    assert sent.json()["trial"]["state"] == "running"
    work_off()
    return int(sent.json()["trial"]["id"])


def test_a_version_is_tried_shown_and_made_live(played: Round, caller: Caller) -> None:
    trial = f"{PATH}trials/{begun(played, caller, version_2())}/"
    found = caller.get(trial).json()
    assert (found["trial"]["state"], found["trial"]["game"]) == ("ready", "mini 2.0")
    assert found["counts"] == {"moved": 2, "invalid": 0, "valid": 0, "results": 1}
    (run,) = found["runs"]
    assert (run["target"], run["risk_before"], run["risk_after"]) == ("Haru #1", 0.0, 1.0)
    assert run["changed"] == [{"name": "found", "before": 0.0, "after": 4.0}]
    places = {
        row["name"]: (row["place_before"], row["place_after"])
        for row in found["places"]
        if row["board"] == "main"
    }
    assert places == {"Aki": (2, 1), "Haru": (1, 2)}
    played.refresh_from_db()
    assert played.game == Trial.objects.get().game_before, "nothing live has changed"

    empty = caller.send(trial, {"act": "live"})
    assert empty.status_code == 422
    assert "reason" in empty.json()["error"]["detail"]
    live = caller.send(trial, {"act": "live", "reason": "a year off is near enough"})
    assert live.status_code == 200, live.content
    assert (live.json()["trial"]["state"], live.json()["trial"]["reason"]) == (
        "applied",
        "a year off is near enough",
    )
    played.refresh_from_db()
    assert str(played.game) == "mini 2.0"
    again = caller.send(trial, {"act": "live", "reason": "once more"})
    assert again.json()["error"]["code"] in {"already-decided", "changed-meanwhile"}
    assert [row["state"] for row in caller.get(TRIALS).json()["results"]] == ["applied"]


def test_a_version_is_discarded_or_tried_again(played: Round, caller: Caller) -> None:
    trial = f"{PATH}trials/{begun(played, caller, version_2())}/"
    second = uploaded(played.contest, version_2(("game.py", "NEAR = 1", "NEAR = 2")))
    refused = caller.send(TRIALS, {"game": second.pk})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "trial-open")
    assert caller.send(trial, {"act": "again"}).json()["trial"]["state"] == "running"
    work_off()
    assert caller.send(trial, {"act": "discard"}).json()["trial"]["state"] == "discarded"
    assert not StoredBoard.objects.filter(round=played, view="trial").exists()
    assert caller.send(trial, {"act": "forget"}).status_code == 422


def test_what_cannot_change_in_a_round_is_refused_in_the_words_of_the_page(
    played: Round, caller: Caller
) -> None:
    other = uploaded(played.contest, version_2(("game.yaml", "shown: public", "shown: secret")))
    refused = caller.send(TRIALS, {"game": other.pk}).json()["error"]
    assert refused["code"] == "files-differ"
    assert "people.csv is declared differently" in refused["message"]
    assert not Trial.objects.exists()


def test_a_version_that_breaks_says_why_with_its_log(played: Round, caller: Caller) -> None:
    number = begun(played, caller, version_2(("game.py", "found / len(off)", "7.0")))
    found = caller.get(f"{PATH}trials/{number}/").json()
    assert found["trial"]["state"] == "failed"
    assert found["why_failed"]
    assert "risk" in found["log"]


def test_trials_are_for_organisers_alone(played: Round, caller: Caller) -> None:
    number = begun(played, caller, version_2())
    stranger = Caller(create_token(make_user(), "other", ["read", "organise"], 7))
    reader = Caller(create_token(organiser(played.contest), "read", ["read"], 7))
    for path in (TRIALS, f"{PATH}trials/{number}/"):
        assert stranger.status(path) == 404
        assert reader.status(path) == 403
        assert Caller().status(path) in {401, 403}
    elsewhere = make_contest(slug="elsewhere")
    package = uploaded(elsewhere, version_2())
    assert caller.send(TRIALS, {"game": package.pk}).status_code == 404
    mine = Caller(create_token(organiser(elsewhere), "organise", ["read", "organise"], 7))
    assert mine.status(f"contests/elsewhere/trials/{number}/") == 404
    assert stranger.send(f"{PATH}trials/{number}/", {"act": "discard"}).status_code == 404
