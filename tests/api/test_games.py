"""A round of a game through the API: its declaration and files, entries, answers, boards, hiders, uploads."""

from __future__ import annotations

import os

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from contest.models import Attack, Entry, GamePackage, Round, Team
from contest.services.tokens import create_token
from games.zips import pack
from tests.api.conftest import Caller
from tests.factories import as_zip, make_team, make_user, work_off
from tests.game_rounds import TOYS, attack_files, game_contest, make_game_round, method_files, sources_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _toys_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAKURENBO_GAMES", os.pathsep.join(map(str, TOYS.values())))


@pytest.fixture
def round_() -> Round:
    contest, package = game_contest(TOYS["skeleton"], slug="lanterns")
    return make_game_round(contest, package, sources_of(TOYS["skeleton"]), attacks=["nearest"])


def caller_of(team: Team) -> Caller:
    user = team.memberships.select_related("user").get().user
    return Caller(create_token(user, "play", ["read", "submit"], 7))


def zipped(files: dict[str, bytes]) -> SimpleUploadedFile:
    return SimpleUploadedFile("files.zip", as_zip(files))


PATH = "contests/lanterns/rounds/practice/"


def test_everybody_reads_what_the_game_declares(round_: Round) -> None:
    visitor = Caller()
    assert {"skeleton", "pair"} <= {game["name"] for game in visitor.get("games/").json()["results"]}
    game = visitor.get(f"{PATH}game/").json()
    assert (game["name"], game["rule"], game["build_state"]) == ("skeleton", "standard", "ready")
    assert game["parameters"]["limit-age"] == 5
    assert [measure["name"] for measure in game["measures"]] == ["age", "spent"]
    release = next(file for file in game["files"] if file["name"] == "release.csv")
    assert release["columns"][0] == {"name": "age", "kind": "int", "expected": "an integer from 0 to 120"}
    detail = visitor.get(PATH).json()
    assert (detail["budget"], detail["ranking"]["name"]) == (None, "standard")


def test_a_team_plays_by_the_api_alone(round_: Round) -> None:
    aki, haru = make_team(round_.contest, "Aki"), make_team(round_.contest, "Haru")
    work_off()
    mine, theirs = caller_of(aki), caller_of(haru)
    files = mine.get(f"{PATH}files/").json()["results"]
    assert [file["name"] for file in files] == ["mine.csv"], "what is secret is not even listed"
    seat = files[0]["seat"]
    assert mine.status(f"{PATH}seats/{seat}/files/mine.csv") == 200
    assert theirs.status(f"{PATH}seats/{seat}/files/mine.csv") == 404
    assert mine.status(f"{PATH}seats/{seat}/files/members.csv") == 404
    assert mine.status(f"{PATH}files/people.csv") == 404

    bad = mine.post(f"{PATH}entries/check/", {"archive": zipped({"release.csv": b"age,spent\nx,1\n"})}).json()
    assert not bad["valid"]
    assert [(it["line"], it["column"]) for it in bad["problems"] if it["code"] == "bad-integer"] == [
        (2, "age")
    ]
    sent = mine.post(f"{PATH}entries/", {"archive": zipped(method_files(round_, aki, "noise"))})
    assert sent.status_code == 201, sent.content
    work_off()
    entry = mine.get(f"{PATH}entries/{sent.json()['id']}/").json()
    assert (entry["state"], entry["is_official"]) == ("valid", True)
    assert set(entry["measures"]) == {"age", "spent"}
    assert [run["challenge"] for run in entry["attack_runs"]] == ["member"]

    answer = theirs.post(f"{PATH}answers/", {"archive": zipped(attack_files(round_, haru, "nearest"))})
    assert answer.status_code == 201, answer.content
    work_off()
    found = theirs.get(f"{PATH}attacks/{answer.json()['id']}/").json()
    assert (found["attack"]["state"], found["cells"][0]["target"]) == ("judged", entry["key"])
    assert mine.send(f"{PATH}attacks/{answer.json()['id']}/pin/").status_code == 404
    assert theirs.send(f"{PATH}attacks/{answer.json()['id']}/pin/").json()["is_pinned"]

    boards = Caller().get(f"{PATH}boards/").json()
    main = next(board for board in boards["boards"] if board["name"] == "main")
    placed = [row for row in main["rows"] if row["place"] == 1]
    assert [(row["name"], row["kind"]) for row in placed] == [("Aki", "team")]
    assert placed[0]["values"]["utility"] == pytest.approx(entry["utility"])


def test_a_refused_answer_costs_nothing_and_says_where(round_: Round) -> None:
    aki, haru = make_team(round_.contest, "Aki"), make_team(round_.contest, "Haru")
    work_off()
    caller_of(aki).post(f"{PATH}entries/", {"archive": zipped(method_files(round_, aki, "unchanged"))})
    work_off()
    key = Entry.objects.get(team=aki).key
    sent = caller_of(haru).post(f"{PATH}guesses/", {"archive": zipped({f"{key}.csv": b"2\n"})})
    work_off()
    found = caller_of(haru).get(f"{PATH}attacks/{sent.json()['id']}/").json()
    assert (found["attack"]["state"], found["attack"]["costs_attempt"]) == ("invalid", False)
    assert found["problems"][0]["line"] == 1


def test_an_organiser_uploads_a_game(round_: Round) -> None:
    organiser = round_.contest.organisers.select_related("user").get().user
    caller = Caller(create_token(organiser, "organise", ["read", "organise"], 7))
    other = Caller(create_token(make_user(), "other", ["read", "organise"], 7))
    file = SimpleUploadedFile("locket.zip", pack(TOYS["locket"]))
    assert other.post("contests/lanterns/games/", {"archive": file}).status_code == 404
    file.seek(0)
    made = caller.post("contests/lanterns/games/", {"archive": file})
    assert made.status_code == 201, made.content
    assert made.json()["state"] == GamePackage.State.WAITING
    bad = caller.post("contests/lanterns/games/", {"archive": SimpleUploadedFile("x.zip", b"PK\x03\x04")})
    assert bad.status_code in {400, 409, 422}
    assert GamePackage.objects.filter(contest=round_.contest).count() == 1
    assert [row["name"] for row in caller.get("contests/lanterns/games/").json()["results"]] == ["locket"]


def test_a_hider_is_taken_or_refused_at_once(round_: Round) -> None:
    team = make_team(round_.contest, "Aki")
    work_off()
    caller = caller_of(team)
    bad = caller.post(f"{PATH}hiders/", {"program": SimpleUploadedFile("anonymize.py", b"")})
    assert bad.json()["error"]["code"] == "bad-program"
    sent = caller.post(f"{PATH}hiders/", {"program": SimpleUploadedFile("anonymize.py", b"print(1)")})
    assert sent.status_code == 201, sent.content
    assert Entry.objects.get(pk=sent.json()["id"]).program_sha256
    assert not Attack.objects.filter(team=team).exists()
