"""Every page answers for every kind of visitor, and shows only what that visitor may see."""

from __future__ import annotations

import datetime
import io
import re
import zipfile
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from contest.models import AttackRun, AuditEvent, Contest, Entry, Phase, Round, Team, User
from contest.services.teams import create_invitation
from tests.factories import (
    PASSWORD,
    as_zip,
    entry_files,
    make_contest,
    make_entry,
    make_round,
    make_team,
    make_user,
    work_off,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def round_() -> Round:
    organiser = make_user("oni")
    return make_round(make_contest(organiser, slug="demo"))


@pytest.fixture
def team(round_: Round) -> Team:
    return make_team(round_.contest, "Tanuki", make_user("tanuki"))


def signed_in(name: str) -> Client:
    client = Client()
    client.force_login(User.objects.get(name_key=name))
    return client


def test_a_visitor_reads_every_public_page(client: Client, round_: Round) -> None:
    slugs = [round_.contest.slug, round_.slug]
    pages = [
        reverse("home"),
        reverse("signup"),
        reverse("login"),
        reverse("password_reset"),
        reverse("methods"),
        reverse("method", args=["measures", "ut-jaccard"]),
        reverse("method", args=["attacks", "re-itemset"]),
        reverse("method", args=["anonymizers", "swap"]),
        reverse("method", args=["anonymizers", "gh-tree"]),
        reverse("method", args=["tables", "mondrian"]),
        reverse("method", args=["tables", "kmm"]),
        reverse("contest", args=slugs[:1]),
        reverse("leaderboard", args=slugs),
        reverse("rules", args=slugs),
        reverse("dataset", args=slugs),
        reverse("risk", args=slugs),
        reverse("healthz"),
    ]
    for page in pages:
        assert client.get(page).status_code == 200, page


def test_the_data_can_be_downloaded_whole(client: Client, round_: Round) -> None:
    for name in ("M.csv", "T.csv", "data.zip"):
        response = client.get(reverse("dataset_download", args=["demo", "practice", name]))
        assert response.status_code == 200
        assert b"".join(response.streaming_content)  # type: ignore[attr-defined]
    assert client.get(reverse("dataset_download", args=["demo", "practice", "P.csv"])).status_code == 404


def test_signing_up_making_a_team_and_uploading(client: Client, round_: Round) -> None:
    form = {"username": "Neko", "email": "neko@example.org", "password": "a quiet cat 9"}
    assert client.post(reverse("signup"), form).status_code == 302
    response = client.post(reverse("team_create", args=["demo"]), {"name": "Neko House"}, follow=True)
    assert "Neko House" in response.content.decode()
    archive = as_zip(entry_files())
    upload = SimpleUploadedFile("entry.zip", archive, "application/zip")
    response = client.post(reverse("upload", args=["demo", "practice"]), {"archive": upload})
    entry = Entry.objects.get()
    assert response["Location"] == entry.get_absolute_url()
    work_off()
    page = client.get(entry.get_absolute_url()).content.decode()
    assert "Scored as team <strong>Neko House</strong>" in page


def test_a_broken_file_is_located_by_line_and_column(team: Team, round_: Round) -> None:
    files = dict(entry_files())
    lines = files["T.csv"].split(b"\n")
    lines[16] += b",surplus"
    files["T.csv"] = b"\n".join(lines)
    entry = make_entry(round_, team, files)
    work_off()
    page = signed_in("tanuki").get(entry.get_absolute_url()).content.decode()
    kind = re.search(r"<h3>\s*T\.csv.*?</li>", page, re.DOTALL)
    assert kind is not None
    assert "<span>line 17</span>" in kind.group(0)
    entry.refresh_from_db()
    assert entry.problem_total == 1
    assert not entry.costs_attempt


def test_nobody_but_the_team_and_the_organisers_sees_an_unofficial_entry(team: Team, round_: Round) -> None:
    make_team(round_.contest, "Kitsune", make_user("kitsune"))
    entry = make_entry(round_, team, {"M.csv": b"broken", "T.csv": b"", "P.csv": b""})
    work_off()
    url = entry.get_absolute_url()
    assert signed_in("tanuki").get(url).status_code == 200
    assert signed_in("oni").get(url).status_code == 200
    assert signed_in("kitsune").get(url).status_code == 404
    assert Client().get(url).status_code == 404


def test_where_feedback_waits_for_the_reveal_no_attack_result_is_shown(team: Team, round_: Round) -> None:
    Round.objects.filter(pk=round_.pk).update(feedback="none")
    entry = make_entry(round_, team)
    work_off()
    entry.refresh_from_db()
    assert entry.hits is not None
    own = signed_in("tanuki").get(entry.get_absolute_url())
    assert own.status_code == 200
    assert own.context["attack_runs"] == []
    assert own.context["safety"] is None
    dashboard = signed_in("tanuki").get(team.get_absolute_url()).content.decode()
    assert f'id="entry-{entry.pk}"' in dashboard
    assert not re.search(r"<strong>\d+</strong>/\d+", dashboard)
    Round.objects.filter(pk=round_.pk).update(feedback="full")
    shown = signed_in("tanuki").get(team.get_absolute_url()).content.decode()
    assert re.search(rf"<strong>{entry.hits}</strong>/{entry.n_people}", shown)
    Round.objects.filter(pk=round_.pk).update(feedback="none")
    assert Client().get(entry.get_absolute_url()).status_code == 404
    board = Client().get(round_.get_absolute_url())
    assert [row.hits for row in board.context["rows"]] == [None]


def test_a_detail_in_the_database_never_pairs_a_pseudonym_with_a_customer(team: Team, round_: Round) -> None:
    entry = make_entry(round_, team, entry_files("swap", 3))
    work_off()
    for score in entry.scores.all():
        assert "pseudonym" not in str(score.detail)


def test_a_hidden_contest_does_not_exist_for_others(client: Client) -> None:
    round_ = make_round(make_contest(make_user("boss"), slug="secret", is_public=False))
    pages = [reverse("contest", args=["secret"]), round_.get_absolute_url()]
    for page in pages:
        assert client.get(page).status_code == 404
        assert signed_in("boss").get(page).status_code == 200


def test_organiser_pages_do_not_exist_for_others(client: Client, team: Team) -> None:
    url = reverse("organise", args=["demo"])
    assert client.get(url).status_code == 302
    assert signed_in("tanuki").get(url).status_code == 404
    assert signed_in("oni").get(url).status_code == 200


def test_an_organiser_announces_and_adds_a_house_entry(round_: Round) -> None:
    client = signed_in("oni")
    client.post(
        reverse("announce", args=["demo"]), {"title": "Hello", "body": "<script>alert(1)</script> **bold**"}
    )
    pages = (
        Client().get(reverse("contest", args=["demo"])),
        client.get(reverse("organise_announcements", args=["demo"])),
    )
    for page in (answer.content.decode() for answer in pages):
        assert "<strong>bold</strong>" in page
        assert "<script>alert" not in page
    url = reverse("house_entry", args=["demo"]) + "?method=swap"
    assert "share" in client.get(url).content.decode()
    form = {"round": round_.pk, "set_share": "0.5", "seed": 3}
    assert client.post(url, form).status_code == 302
    work_off()
    entry = Entry.objects.get()
    assert entry.team.is_house
    assert entry.state == Entry.State.VALID
    assert AuditEvent.objects.filter(verb="house_entry.requested", actor__username="oni").exists()
    assert entry.team.name == "House · swap (share=0.5)"
    refused = client.post(url, {**form, "set_share": "7"})
    assert refused.status_code == 422
    assert "less than or equal to" in refused.content.decode()


def test_an_invitation_link_leads_into_the_team(team: Team) -> None:
    captain = User.objects.get(name_key="tanuki")
    token = create_invitation(team, captain)
    make_user("neko")
    client = signed_in("neko")
    url = reverse("join", args=[token])
    assert "Join Tanuki?" in client.get(url).content.decode()
    assert client.post(url).status_code == 302
    assert team.memberships.count() == 2
    assert client.get(reverse("join", args=["wrong-token"])).status_code == 404


def test_pinning_makes_an_older_entry_official(team: Team, round_: Round) -> None:
    first = make_entry(round_, team)
    make_entry(round_, team, entry_files("swap", 2))
    work_off()
    client = signed_in("tanuki")
    assert Entry.objects.get(is_official=True).number == 2
    client.post(reverse("pin", args=["demo", "practice", first.pk]))
    assert Entry.objects.get(is_official=True).number == 1
    make_entry(round_, team, entry_files("swap", 4))
    work_off()
    assert Entry.objects.get(is_official=True).number == 1


@pytest.mark.parametrize(
    "name", ["announce", "invite", "pin", "revoke", "logout", "steer_attack", "guesses", "program", "rerun"]
)
def test_what_changes_something_refuses_get(name: str, team: Team, round_: Round) -> None:
    arguments = {
        "announce": ["demo"],
        "steer_attack": ["demo", 1],
        "guesses": ["demo", "practice"],
        "rerun": ["demo"],
        "program": ["demo", "practice"],
        "invite": ["demo"],
        "pin": ["demo", "practice", 1],
        "revoke": ["demo", 1],
        "logout": [],
    }[name]
    assert signed_in("oni").get(reverse(name, args=arguments)).status_code == 405


def test_logging_in_ignores_case_and_width_of_the_name(client: Client) -> None:
    make_user("Kitsune")
    response = client.post(reverse("login"), {"username": " ｋitsune", "password": PASSWORD})
    assert response.status_code == 302


def test_names_of_methods_are_unique_within_their_kind() -> None:
    from contest.views.methods import GALLERY

    for kind, described in GALLERY.items():
        names = [item.name for item in described]
        assert len(names) == len(set(names)), kind


def test_the_pages_speak_through_gettext() -> None:
    assert Contest._meta.get_field("title").verbose_name
    response = Client().get(reverse("home"), headers={"accept-language": "ja"})
    assert 'lang="ja"' in response.content.decode()


def test_an_organiser_runs_a_cell_and_a_column_again(team: Team, round_: Round) -> None:
    entry = make_entry(round_, team)
    work_off()
    run = entry.attack_runs.get()
    url = reverse("rerun", args=["demo"])
    for form in ({"run": run.pk}, {"entry": entry.pk}):
        assert signed_in("oni").post(url, form).status_code == 302
        run.refresh_from_db()
        assert run.state == AttackRun.State.QUEUED
        work_off()
        run.refresh_from_db()
        assert run.state == AttackRun.State.DONE
    assert signed_in("tanuki").post(url, {"run": run.pk}).status_code == 404
    assert signed_in("oni").post(url, {"run": "x"}).status_code == 404


def test_a_team_seeks_through_the_pages(team: Team, round_: Round) -> None:
    now = timezone.now()
    Phase.objects.create(
        round=round_, kind=Phase.Kind.ATTACK, starts_at=now, ends_at=now + datetime.timedelta(days=1)
    )
    other = make_team(round_.contest, "Kitsune", make_user("kitsune"))
    entry = make_entry(round_, other)
    work_off()
    entry.refresh_from_db()
    client = signed_in("tanuki")
    answer: Any = client.get(reverse("targets", args=["demo", "practice"]))
    bundle = b"".join(answer.streaming_content)
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        assert sorted(archive.namelist()) == [f"{entry.pk}/M.csv", f"{entry.pk}/T.csv"]
    guess = b"1\n" * (entry.n_people or 0)
    upload = SimpleUploadedFile("guesses.zip", as_zip({f"{entry.pk}.csv": guess}))
    response = client.post(reverse("guesses", args=["demo", "practice"]), {"archive": upload})
    assert response.status_code == 302
    work_off()
    page = client.get(response["Location"]).content.decode()
    assert "Kitsune #1" in page
    board = Client().get(reverse("matrix", args=["demo", "practice"])).content.decode()
    assert "Tanuki" in board
    wrong = SimpleUploadedFile("guesses.zip", as_zip({"999.csv": guess}))
    refused = client.post(reverse("guesses", args=["demo", "practice"]), {"archive": wrong})
    assert refused.status_code == 422
    bad = SimpleUploadedFile("reidentify.zip", as_zip({"other.py": b"pass"}))
    refused = client.post(reverse("program", args=["demo", "practice"]), {"program": bad})
    assert refused.status_code == 422
    assert "reidentify" in refused.content.decode()
    assert client.get(reverse("seek", args=["demo", "practice"])).status_code == 200


def test_a_request_that_is_too_large_is_refused_before_it_is_read(client: Client) -> None:
    response = client.post(reverse("login"), b"x", content_type="text/plain", CONTENT_LENGTH=str(10**12))
    assert response.status_code == 413
    assert (
        client.post(reverse("login"), b"x", content_type="text/plain", CONTENT_LENGTH="-1").status_code == 413
    )
