"""A new contest by the wizard: from a preset or a bundle, on data of every kind."""

from __future__ import annotations

import datetime
import io
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django import forms
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from contest.board import queries
from contest.board.export import board_dicts
from contest.models import AuditEvent, Contest, Dataset, Job, Phase
from contest.services.bundles import export_bundle
from games.formats.presets import preset_text
from games.shop.data.folder import write_dataset
from games.shop.formats import FORMATS, find_format
from tests.archives import archived, play
from tests.factories import make_contest, make_entry, make_round, make_team, make_user, small_data

pytestmark = pytest.mark.django_db

PRESET = reverse("contest_from_preset", args=["pwscup2016"])
GIVEN = {
    "title": "Autumn",
    "slug": "autumn",
    "summary": "Hide and seek in autumn.",
    "time_zone": "Asia/Tokyo",
    "starts_at": "2027-09-01T10:00",
    "way": "generate",
    "customers": "15",
    "data_seed": "3",
}
RETAIL = """InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country
536365,85123A,HOLDER,6,2010-12-01 08:26:00,2.55,17850,United Kingdom
536365,71053,LANTERN,6,2010-12-01 08:26:00,3.39,17850,United Kingdom
536366,22633,WARMER,6,2010-12-01 08:28:00,1.85,17851,France
C536379,22633,WARMER,-1,2010-12-01 09:41:00,1.85,17851,France
"""


@pytest.fixture
def organiser(client: Client) -> Client:
    client.force_login(make_user("oni", is_staff=True))
    return client


@pytest.fixture
def tables(tmp_path: Path) -> dict[str, bytes]:
    write_dataset(tmp_path, small_data())
    return {name: (tmp_path / name).read_bytes() for name in ("M.csv", "T.csv")}


def upload(content: bytes | str, name: str) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content.encode() if isinstance(content, str) else content)


def test_only_whom_the_site_allows_makes_contests(client: Client, settings: Any) -> None:
    client.force_login(make_user("tanuki"))
    for url in (reverse("contest_new"), PRESET):
        assert client.get(url).status_code == 404
    assert client.post(PRESET, GIVEN).status_code == 404
    assert client.post(reverse("contest_from_bundle"), {}).status_code == 404
    settings.EVERYBODY_ORGANISES = True
    assert client.get(reverse("contest_new")).status_code == 200
    assert b"New contest" in client.get(reverse("home")).content


def test_a_preset_becomes_a_contest_on_generated_data(organiser: Client) -> None:
    answer = organiser.post(PRESET, GIVEN)
    assert answer.headers["Location"] == reverse("organise", args=["autumn"])
    contest = Contest.objects.get()
    assert (contest.title, contest.is_public, contest.time_zone) == ("Autumn", False, "Asia/Tokyo")
    assert contest.rounds.get(slug="final").dataset.n_people == 15
    first = Phase.objects.earliest("starts_at")
    # Ten o'clock in Tokyo is one o'clock UTC.
    assert first.starts_at == datetime.datetime(2027, 9, 1, 1, tzinfo=datetime.UTC)
    assert Job.objects.filter(kind="house").count() == 6
    assert AuditEvent.objects.filter(verb="contest.created_from_bundle", actor__username="oni").exists()
    again = organiser.post(PRESET, GIVEN)
    assert again.status_code == 422
    assert "slug" in again.context["form"].errors


def test_a_contest_on_uploaded_tables(organiser: Client, tables: dict[str, bytes]) -> None:
    given = {**GIVEN, "way": "files"}
    assert organiser.post(PRESET, given).status_code == 422
    files = {"master": upload(tables["M.csv"], "a.csv"), "transactions": upload(tables["T.csv"], "b.csv")}
    assert organiser.post(PRESET, {**given, **files}).status_code == 302
    assert Dataset.objects.get().n_people == small_data().n_customers


def original_files(year: str) -> dict[str, SimpleUploadedFile]:
    """The files of a small data set of a format, by their fields."""
    spec = find_format(year)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        spec.write_original(folder, spec.from_tables(small_data()))
        return {
            file.field: upload((folder / file.name).read_bytes(), file.name) for file in spec.original_fields
        }


YEARS = [spec.name for spec in FORMATS]


@pytest.mark.parametrize("year", YEARS)
def test_the_form_asks_for_the_files_of_its_format(organiser: Client, year: str) -> None:
    """Each is missed by its name; all of them make a contest."""
    spec, url = find_format(year), reverse("contest_from_preset", args=[f"pwscup{year}"])
    fields = organiser.get(url).context["form"]
    asked = [it.label for it in fields if isinstance(it.field, forms.FileField) and it.name != "retail"]
    assert asked == list(spec.original_files)
    given = {**GIVEN, "way": "files"}
    for lacking in spec.original_fields:
        files = {field: file for field, file in original_files(year).items() if field != lacking.field}
        answer = organiser.post(url, {**given, **files})
        assert answer.status_code == 422
        assert answer.context["form"].errors == {lacking.field: [f"{lacking.name} is missing."]}
    assert organiser.post(url, {**given, **original_files(year)}).status_code == 302
    dataset = Dataset.objects.get()
    assert (dataset.format, set(dataset.files)) == (year, set(spec.original_files))
    exported = export_bundle(Contest.objects.get())
    assert set(exported.files) == set(spec.original_files)


@pytest.mark.parametrize("year", YEARS)
def test_a_file_of_another_format_is_refused(organiser: Client, year: str) -> None:
    url = reverse("contest_from_preset", args=[f"pwscup{year}"])
    own = {file.field for file in find_format(year).original_fields}
    others = {file.field: file.name for spec in FORMATS for file in spec.original_fields}
    for field, name in others.items():
        if field in own:
            continue
        files = {**original_files(year), field: upload("1\n", name)}
        answer = organiser.post(url, {**GIVEN, "way": "files", **files})
        assert answer.status_code == 422
        assert f"{name} is not expected" in str(answer.context["form"].non_field_errors())
    assert not Contest.objects.exists()


def test_what_attackers_know_in_2017_may_be_left_out_as_a_whole(organiser: Client) -> None:
    url, spec = reverse("contest_from_preset", args=["pwscup2017"]), find_format("2017")
    files = original_files("2017")
    tables = {file.field: files[file.field] for file in spec.table_fields}
    assert organiser.post(url, {**GIVEN, "way": "files", **tables}).status_code == 302
    assert set(Dataset.objects.get().files) == set(spec.original_files)


def test_broken_tables_are_told_and_nothing_is_made(organiser: Client, tables: dict[str, bytes]) -> None:
    broken = tables["T.csv"].replace(b",", b";", 1)
    files = {"master": upload(tables["M.csv"], "M.csv"), "transactions": upload(broken, "T.csv")}
    answer = organiser.post(PRESET, {**GIVEN, "way": "files", **files})
    assert answer.status_code == 422
    assert "T.csv" in str(answer.context["form"].non_field_errors())
    assert not Contest.objects.exists()


def test_a_contest_on_the_online_retail_file(organiser: Client) -> None:
    given = {**GIVEN, "way": "retail", "customers": "2", "retail": upload(RETAIL, "Online Retail.csv")}
    assert organiser.post(PRESET, given).status_code == 302
    # The cancellation is left out.
    assert (Dataset.objects.get().n_people, Dataset.objects.get().fact["purchases"]) == (2, 3)
    wrong = {**GIVEN, "slug": "b", "way": "retail", "customers": "2", "retail": upload("a,b\n1,2\n", "x.csv")}
    answer = organiser.post(PRESET, wrong)
    assert answer.status_code == 422
    assert "InvoiceNo" in str(answer.context["form"].non_field_errors())


@pytest.mark.parametrize(
    ("field", "value"),
    [("starts_at", "tomorrow"), ("slug", "a b"), ("time_zone", "Moon"), ("customers", "1"), ("way", "magic")],
)
def test_what_makes_no_sense_is_told_at_its_field(organiser: Client, field: str, value: str) -> None:
    answer = organiser.post(PRESET, {**GIVEN, field: value})
    assert answer.status_code == 422
    assert field in answer.context["form"].errors
    assert not Contest.objects.exists()


def test_an_hour_that_does_not_exist_is_refused(organiser: Client) -> None:
    answer = organiser.post(PRESET, {**GIVEN, "time_zone": "Europe/Berlin", "starts_at": "2027-03-28T02:30"})
    assert "starts_at" in answer.context["form"].errors


def small_bundle() -> str:
    return preset_text("pwscup2016").replace("customers: 400", "customers: 20")


def test_a_bundle_becomes_a_contest_and_its_problems_are_told_by_line(organiser: Client) -> None:
    url = reverse("contest_from_bundle")
    broken = small_bundle().replace("team-size: 10", "team-size: many")
    answer = organiser.post(url, {"bundle": upload(broken, "contest.yaml")})
    assert answer.status_code == 422
    line = 1 + broken[: broken.index("team-size")].count("\n")
    assert [problem.line for problem in answer.context["problems"]] == [line]
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as bundle:
        bundle.writestr("contest.yaml", small_bundle())
    bundles: list[bytes | str] = [small_bundle(), archive.getvalue()]
    for number, content in enumerate(bundles):
        answer = organiser.post(url, {"bundle": upload(content, "any name"), "slug": f"c{number}"})
        assert answer.status_code == 302
    assert sorted(Contest.objects.values_list("slug", flat=True)) == ["c0", "c1"]
    for junk in (b"\xff\xfe", b"PK\x03\x04 no zip", b""):
        assert organiser.post(url, {"bundle": upload(junk, "x.zip")}).status_code == 422
    assert Contest.objects.count() == 2


def test_the_data_of_a_round_changes_only_before_the_first_entry(client: Client) -> None:
    oni = make_user("oni")
    client.force_login(oni)
    round_ = make_round(make_contest(oni, slug="demo"))
    url = reverse("organise_data", args=["demo", "practice"])
    given = {"way": "generate", "customers": "14", "data_seed": "5"}
    assert client.get(url).status_code == 200
    assert client.post(url, {**given, "customers": ""}).status_code == 422
    assert client.post(url, given).status_code == 302
    round_.refresh_from_db()
    assert round_.dataset.n_people == 14
    make_entry(round_, make_team(round_.contest))
    assert client.post(url, {**given, "customers": "13"}).status_code == 422
    round_.refresh_from_db()
    assert round_.dataset.n_people == 14
    assert AuditEvent.objects.filter(verb="round.data_changed").count() == 1


@pytest.mark.parametrize("year", YEARS)
def test_the_form_proposes_the_numbers_of_its_own_preset(organiser: Client, year: str) -> None:
    """The numbers of customers are those of the three contests: 400, 500 and 1,000."""
    form = organiser.get(reverse("contest_from_preset", args=[f"pwscup{year}"])).context["form"]
    expected = {"2016": 400, "2017": 500, "2018": 1000}[year]
    assert (form["customers"].value(), form["data_seed"].value()) == (expected, int(year))


@pytest.mark.parametrize("year", YEARS)
def test_no_text_of_a_preset_repeats_a_number_that_the_form_decides(organiser: Client, year: str) -> None:
    given = {**GIVEN, "customers": "21"}
    del given["summary"]
    url = reverse("contest_from_preset", args=[f"pwscup{year}"])
    proposed = organiser.get(url).context["form"]["summary"].value()
    assert organiser.post(url, {**given, "summary": proposed}).status_code == 302
    contest = Contest.objects.get()
    assert not set("0123456789") & set(contest.summary + contest.description.partition("1. Practice")[0])
    assert "21 customers" in Dataset.objects.get().name


def test_a_contest_that_everybody_sees_is_said_to_be_seen(organiser: Client) -> None:
    hidden = organiser.post(PRESET, GIVEN, follow=True)
    assert "only organisers see the contest" in hidden.content.decode()
    seen = organiser.post(PRESET, {**GIVEN, "slug": "winter", "is_public": "on"}, follow=True)
    assert "everybody sees the contest" in seen.content.decode()
    assert "only organisers see the contest" not in seen.content.decode()
    assert Contest.objects.get(slug="winter").is_public


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/New_York", "UTC"])
def test_without_a_start_the_first_phase_begins_at_once_in_every_zone(organiser: Client, zone: str) -> None:
    assert not organiser.get(PRESET).context["form"]["starts_at"].value()
    before = timezone.now().replace(microsecond=0)
    assert organiser.post(PRESET, {**GIVEN, "starts_at": "", "time_zone": zone}).status_code == 302
    assert before <= Phase.objects.earliest("starts_at").starts_at <= timezone.now()


def test_an_archive_is_imported_on_the_page_beside_its_original(organiser: Client) -> None:
    contest = play()
    url, file = reverse("contest_from_archive"), archived(contest)
    taken = organiser.post(url, {"archive": upload(file, "a.zip")})
    assert taken.status_code == 422
    assert list(taken.context["archive_form"].errors) == ["slug"]
    answer = organiser.post(url, {"archive": upload(file, "a.zip"), "slug": "again"})
    assert answer.headers["Location"] == reverse("organise", args=["again"])
    again = Contest.objects.get(slug="again")
    boards = [board_dicts(queries.board(it.rounds.get(), None, show_attacks=True)) for it in (contest, again)]
    assert boards[0] == boards[1]
    assert len(boards[0]) == 4


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "empty"), (b"M,T,P\n", "not a zip"), (b"PK\x05\x06" + b"\0" * 18, "manifest.json: missing")],
)
def test_what_is_no_archive_is_refused_on_the_page(organiser: Client, content: bytes, words: str) -> None:
    answer = organiser.post(reverse("contest_from_archive"), {"archive": upload(content, "a.zip")})
    assert answer.status_code == 422
    assert words in str(answer.context["archive_form"].errors["archive"])
    assert not Contest.objects.exists()


def test_a_damaged_archive_leaves_nothing_behind(organiser: Client) -> None:
    file = bytearray(archived(play()))
    file[len(file) // 2] ^= 0xFF
    given = {"archive": upload(bytes(file), "a.zip"), "slug": "again"}
    answer = organiser.post(reverse("contest_from_archive"), given)
    assert answer.status_code == 422
    assert not Contest.objects.filter(slug="again").exists()


def test_an_archive_that_unpacks_to_too_much_is_refused(
    organiser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = archived(play())
    monkeypatch.setattr("contest.archive.importing.UNPACKED_BYTES", 1000)
    given = {"archive": upload(file, "a.zip"), "slug": "again"}
    answer = organiser.post(reverse("contest_from_archive"), given)
    assert "expected at most 1000" in str(answer.context["archive_form"].errors["archive"])
    assert not Contest.objects.filter(slug="again").exists()


def test_only_staff_imports_archives(client: Client, settings: Any) -> None:
    settings.EVERYBODY_ORGANISES = True
    client.force_login(make_user("tanuki"))
    assert b"archive_archive" not in client.get(reverse("contest_new")).content
    given = {"archive": upload(b"", "a.zip")}
    assert client.post(reverse("contest_from_archive"), given).status_code == 404
