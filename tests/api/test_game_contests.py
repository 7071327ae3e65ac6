"""Contests and rounds by a game through the API, with its presets."""

from __future__ import annotations

import datetime
import io
import os

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from contest.models import Contest, GamePackage, Job, Phase, Round
from contest.models.round import BuildState
from contest.play.packages import installed_package, presets_of
from contest.services.game_packages import upload_game
from contest.services.tokens import create_token
from datasets.zip_writer import zipped
from games.round_folder import read_files
from tests.api.conftest import SCOPES, Caller
from tests.factories import make_contest, make_user, work_off
from tests.game_rounds import TOYS, sources_of
from tests.game_versions import MINI

pytestmark = pytest.mark.django_db
ORDER = {"game": "snake", "preset": "snake1", "slug": "hiss", "title": "Hiss", "summary": "Who is in?"}


@pytest.fixture(autouse=True)
def _toys_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAKURENBO_GAMES", os.pathsep.join(map(str, TOYS.values())))


@pytest.fixture
def staff() -> Caller:
    return Caller(create_token(make_user("daruma", is_staff=True), "staff", SCOPES, 7))


def test_games_are_listed_with_their_presets() -> None:
    games = {game["name"]: game for game in Caller().get("games/").json()["results"]}
    assert [preset["name"] for preset in games["snake"]["presets"]] == ["snake1"]
    assert games["snake"]["presets"][0]["title"]["ja"] == "SNAKE #1"
    assert games["skeleton"]["presets"] == []


def test_a_contest_begins_with_a_preset_and_what_is_sent_goes_before_it(staff: Caller) -> None:
    (preset,) = presets_of(installed_package("snake"))
    own = {"parameters": {"statistic": "auc"}, "starts_at": "2031-05-01T09:00:00+09:00", "seek_days": 3}
    made = staff.send("games/", {**ORDER, **own})
    assert made.status_code == 201, made.content
    assert made.json() == {"slug": "hiss", "title": "Hiss", "is_public": False}
    round_ = Round.objects.get(contest=Contest.objects.get(slug="hiss"))
    assert (round_.ranking, round_.attacks_per_day, round_.attacks_in_total) == ("tasks-won", 2, 20)
    assert round_.params["statistic"] == "auc"
    assert round_.params["samples"] == preset.parameters["samples"] == 10000
    begun = Phase.objects.get(round=round_, kind=Phase.Kind.ATTACK)
    assert begun.starts_at == datetime.datetime(2031, 5, 1, tzinfo=datetime.UTC)
    assert begun.ends_at - begun.starts_at == datetime.timedelta(days=3)
    again = staff.send("games/", {**ORDER, **own})
    assert (again.status_code, again.json()["error"]["code"]) == (409, "slug-taken")


@pytest.mark.parametrize(
    ("change", "field", "said"),
    [
        ({"preset": "gentle"}, "preset", "Got 'gentle', expected one of snake1."),
        ({"game": "no-such"}, "game", "Got 'no-such', expected one of"),
        ({"parameters": {"statistics": 1}}, "parameters.statistics", "expected statistic, or another one of"),
        ({"parameters": {"fpr": 7}}, "parameters.fpr", ""),
        ({"rule": "by-luck"}, "rule", ""),
        ({"presets": "snake1"}, "presets", "expected preset, or another one of"),
    ],
)
def test_what_is_wrong_is_named_by_its_field(staff: Caller, change: dict, field: str, said: str) -> None:
    answer = staff.send("games/", {**ORDER, **change})
    assert answer.status_code == 422, answer.content
    found = answer.json()["error"]["detail"]
    assert list(found) == [field]
    assert said in str(found)
    assert not Contest.objects.filter(slug="hiss").exists()


def test_who_may_not_create_contests_is_refused() -> None:
    member = Caller(create_token(make_user("kappa"), "own", SCOPES, 7))
    assert member.send("games/", ORDER).status_code == 404
    assert Caller().send("games/", ORDER).status_code == 401


def test_files_that_organisers_bring_come_in_one_zip(staff: Caller) -> None:
    for files, status in ((sources_of(TOYS["skeleton"]), 201), ({"persons.csv": b"id\n1\n"}, 422), ({}, 422)):
        archive = {"files": SimpleUploadedFile("files.zip", zipped(files))} if files else {}
        order = {**ORDER, "game": "skeleton", "slug": f"s{status}", "round_slug": "final", **archive}
        del order["preset"]
        answer = staff.post("games/", order)
        assert answer.status_code == status, answer.content
        if status == 422:
            assert list(answer.json()["error"]["detail"]) == ["files"]
    work_off()
    assert Round.objects.get(slug="final").build_state == BuildState.READY


def test_a_round_is_added_by_an_installed_or_an_uploaded_game_with_a_preset() -> None:
    contest = make_contest(slug="lanterns")
    organiser = contest.organisers.select_related("user").get().user
    files = {name: content for name, content in read_files(MINI).items() if "__pycache__" not in name}
    files["game.yaml"] += b"\npresets: [presets/strict.yaml]\n"
    files["presets/strict.yaml"] = b"attempts: {day: 2, all: 9}\nparameters: {limit-error: 3}\n"
    package = upload_game(contest, organiser, io.BytesIO(zipped(files)))
    Job.objects.filter(game=package).delete()
    GamePackage.objects.filter(pk=package.pk).update(state=GamePackage.State.READY)
    caller = Caller(create_token(organiser, "own", SCOPES, 7))
    ages = SimpleUploadedFile("files.zip", zipped({"people.csv": b"age\n30\n40\n"}))
    order = {"package": package.pk, "preset": "strict", "round_name": "Final", "round_slug": "final"}
    answer = caller.post("contests/lanterns/games/rounds/", {**order, "files": ages})
    assert answer.status_code == 201, answer.content
    assert (answer.json()["slug"], answer.json()["name"]) == ("final", "Final")
    made = Round.objects.get(slug="final")
    assert (made.params["limit-error"], made.attacks_per_day, made.attacks_in_total) == (3, 2, 9)
    other = {"game": "snake", "preset": "snake1", "round_name": "Second", "round_slug": "second"}
    assert caller.send("contests/lanterns/games/rounds/", other).status_code == 201
    assert Round.objects.get(slug="second").ranking == "tasks-won"
    wrong = caller.send("contests/lanterns/games/rounds/", {**other, "preset": "strict"})
    (said,) = wrong.json()["error"]["detail"]["preset"]
    assert said == {"code": "unknown-preset", "message": "Got 'strict', expected one of snake1."}
    stranger = Caller(create_token(make_user("kappa"), "own", SCOPES, 7))
    assert stranger.send("contests/lanterns/games/rounds/", other).status_code == 404
