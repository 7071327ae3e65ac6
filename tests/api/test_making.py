"""New contests and other data through the API, by the forms and services of the pages."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from contest.models import AuditEvent, Contest, Organiser, Phase
from contest.services.tokens import create_token
from games.formats.presets import preset_text
from games.shop.data.folder import write_dataset
from tests.api.conftest import SCOPES, Caller, World
from tests.contest.test_new_contest import original_files
from tests.factories import make_contest, make_round, make_user, small_data

GENERATED = {"way": "generate", "customers": 15, "data_seed": 3}


@pytest.fixture
def staff(db: None) -> Caller:
    return Caller(create_token(make_user("daruma", is_staff=True), "staff", SCOPES, 7))


def upload(content: bytes, name: str) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content, "application/octet-stream")


def error_of(answer) -> str:
    return answer.json()["error"]["code"]


def small_bundle() -> str:
    return preset_text("pwscup2016").replace("customers: 400", "customers: 20")


def test_a_preset_becomes_a_contest_that_begins_when_asked(staff: Caller) -> None:
    names = [row["name"] for row in staff.get("presets/").json()["results"]]
    assert names == ["pwscup2016", "pwscup2017", "pwscup2018"]
    order = {**GENERATED, "preset": "pwscup2016", "slug": "mine", "title": "Our own", "time_zone": "UTC"}
    made = staff.send("presets/", {**order, "starts_at": "2031-05-01T09:00:00+09:00"})
    assert made.status_code == 201, made.content
    assert made.json() == {"slug": "mine", "title": "Our own", "is_public": False}
    contest = Contest.objects.get(slug="mine")
    assert {round_.dataset.n_people for round_ in contest.rounds.all()} == {15}
    first = Phase.objects.filter(round__contest=contest).order_by("starts_at")[0]
    assert first.starts_at == datetime.datetime(2031, 5, 1, tzinfo=datetime.UTC)
    assert Organiser.objects.get(contest=contest).user.username == "daruma"
    again = staff.send("presets/", order)
    assert (again.status_code, error_of(again)) == (409, "slug-taken")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("preset", "no-such"),
        ("time_zone", "Moon"),
        ("starts_at", "9999-12-31T23:59:59Z"),
        ("starts_at", "yesterday"),
        ("slug", "two words"),
        ("customers", 1),
        ("customers", None),
        ("way", "magic"),
        ("titel", "Small"),
    ],
)
def test_what_makes_no_sense_is_told_at_its_field(staff: Caller, field: str, value: object) -> None:
    answer = staff.send("presets/", {**GENERATED, "preset": "pwscup2016", field: value})
    assert (answer.status_code, list(answer.json()["error"]["detail"])) == (422, [field])
    assert not Contest.objects.exists()


def test_a_contest_on_uploaded_tables(staff: Caller, tmp_path: Path) -> None:
    write_dataset(tmp_path, small_data())
    tables = {name: (tmp_path / name).read_bytes() for name in ("M.csv", "T.csv")}
    order = {"preset": "pwscup2016", "slug": "own", "way": "files"}
    lacking = staff.post("presets/", {**order, "master": upload(tables["M.csv"], "M.csv")})
    assert list(lacking.json()["error"]["detail"]) == ["transactions"]
    broken = {"master": upload(b"1,x\n", "M.csv"), "transactions": upload(tables["T.csv"], "T.csv")}
    refused = staff.post("presets/", {**order, **broken})
    assert (refused.status_code, error_of(refused)) == (422, "bad-data")
    files = {"master": upload(tables["M.csv"], "M.csv"), "transactions": upload(tables["T.csv"], "T.csv")}
    made = staff.post("presets/", {**order, **files})
    assert made.status_code == 201, made.content
    dataset = Contest.objects.get(slug="own").rounds.all()[0].dataset
    assert dataset.n_people == tables["M.csv"].count(b"\n")


def test_the_files_are_those_of_the_presets_format(staff: Caller) -> None:
    order = {"preset": "pwscup2018", "slug": "own", "way": "files"}
    files = original_files("2018")
    surplus = staff.post("presets/", {**order, **files, "master": upload(b"1\n", "M.csv")})
    assert surplus.status_code == 422
    assert "M.csv" in str(surplus.json()["error"]["detail"])
    made = staff.post("presets/", {**order, **original_files("2018")})
    assert made.status_code == 201, made.content
    assert Contest.objects.get(slug="own").rounds.all()[0].dataset.format == "2018"


def test_a_bundle_becomes_a_contest_and_its_problems_are_told_by_line(staff: Caller) -> None:
    text = small_bundle()
    broken = text.replace("team-size: 10", "team-size: many")
    answer = staff.post("bundles/", {"bundle": upload(broken.encode(), "contest.yaml")})
    assert (answer.status_code, error_of(answer)) == (422, "bad-bundle")
    (problem,) = answer.json()["error"]["detail"]["problems"]
    assert problem["line"] == 1 + broken[: broken.index("team-size")].count("\n")
    for junk in (b"\xff\xfe", b"PK\x03\x04 no zip", b""):
        assert staff.post("bundles/", {"bundle": upload(junk, "x.zip")}).status_code == 422
    made = staff.post("bundles/", {"bundle": upload(text.encode(), "contest.yaml"), "slug": "other"})
    assert (made.status_code, made.json()["slug"]) == (201, "other")


def test_only_whom_the_site_allows_makes_contests(world: World) -> None:
    oni = world.callers["oni"]
    assert oni.get("presets/").status_code == 404
    assert oni.send("presets/", {**GENERATED, "preset": "pwscup2016"}).status_code == 404
    assert oni.post("bundles/", {"bundle": upload(b"x", "contest.yaml")}).status_code == 404
    assert world.callers["visitor"].send("presets/", {}).status_code == 401


def test_a_teams_token_makes_no_contest_even_of_staff(world: World) -> None:
    person = world.tanuki.memberships.get().user
    person.is_staff = True
    person.save()
    caller = Caller(create_token(person, "ci", ["read", "submit"], 7, world.tanuki))
    denied = caller.send("presets/", {**GENERATED, "preset": "pwscup2016"})
    assert (denied.status_code, error_of(denied)) == (403, "scope-missing")


def test_the_data_of_a_round_changes_only_before_the_first_entry(world: World) -> None:
    oni = world.callers["oni"]
    used = oni.send("contests/demo/rounds/practice/data/", GENERATED)
    assert (used.status_code, error_of(used)) == (409, "entries-exist")
    tengu = make_contest(Organiser.objects.get(contest__slug="demo").user, slug="fresh")
    round_ = make_round(tengu)
    path = "contests/fresh/rounds/practice/data/"
    assert oni.send(path, {"way": "files"}).status_code == 422
    changed = oni.send(path, {**GENERATED, "reason": "too easy"})
    assert (changed.status_code, changed.json()["n_people"]) == (200, 15)
    round_.refresh_from_db()
    assert round_.dataset.n_people == 15
    assert changed.json()["facts"] == [
        {"label": label, "value": value} for label, value in round_.dataset.facts
    ]
    assert AuditEvent.objects.get(verb="round.data_changed").reason == "too easy"
    assert world.callers["tanuki"].send(path, GENERATED).status_code == 404
