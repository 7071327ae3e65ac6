"""The organisers' pages about games: who sees them, what they say, what they do."""

from __future__ import annotations

import os
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from contest.models import Attack, Contest, Entry, GamePackage, HouseOrder, Job, Phase, Round, Sealed, Trial
from contest.models.round import BuildState
from datasets.zip_writer import zipped
from tests.conftest import ROOT
from tests.factories import make_contest, make_entry, make_team, make_user, work_off
from tests.game_versions import EXACT, MINI, NEAR, PEOPLE, mini, trust_uploads, version_2

pytestmark = pytest.mark.django_db

ROUND = {
    "round_name": "First",
    "round_slug": "first",
    "starts_at": "2027-09-01T10:00",
    "hide_days": "3",
    "seek_days": "2",
    "feedback": "bands",
    "rule": "standard",
    "param-limit-error": "15",
    "methods": ["shift"],
    "attacks": ["copy"],
}
CONTEST = {"title": "Ages", "slug": "ages", "summary": "How old?", "time_zone": "Asia/Tokyo"}


@pytest.fixture(autouse=True)
def _games(monkeypatch: pytest.MonkeyPatch) -> None:
    trust_uploads(monkeypatch)
    skeleton = ROOT / "games" / "skeleton"
    monkeypatch.setenv("KAKURENBO_GAMES", os.pathsep.join(map(str, (MINI, skeleton))))


@pytest.fixture
def organiser(client: Client) -> Client:
    client.force_login(make_user("oni", is_staff=True))
    return client


def people(content: bytes = PEOPLE) -> dict[str, Any]:
    return {"file-people.csv": SimpleUploadedFile("people.csv", content)}


def zip_of(content: bytes) -> dict[str, Any]:
    return {"game": SimpleUploadedFile("mini.zip", content)}


def from_installed(organiser: Client, **changes: Any) -> Round:
    given = {**CONTEST, **ROUND, **people(), **changes}
    answer = organiser.post(reverse("contest_from_game", args=["mini"]), given)
    assert answer.status_code == 302, answer.content.decode()
    return Round.objects.select_related("contest", "game", "dataset").get(contest__slug="ages")


def accepted(package: GamePackage) -> None:
    """As if a worker had tried it and found nothing wrong."""
    Job.objects.filter(game=package).delete()
    GamePackage.objects.filter(pk=package.pk).update(state=GamePackage.State.READY)


def uploaded(organiser: Client, contest: Contest, content: bytes) -> GamePackage:
    organiser.post(reverse("organise_upload_game", args=[contest.slug]), zip_of(content))
    package = GamePackage.objects.filter(contest=contest).latest("pk")
    accepted(package)
    return package


def test_the_wizard_offers_installed_games_in_their_own_words(organiser: Client) -> None:
    page = organiser.get(reverse("contest_new")).content.decode()
    assert "Teams hide guests in data" in page
    japanese = organiser.get(reverse("contest_new"), headers={"Accept-Language": "ja"}).content.decode()
    assert "チームはデータの中に客を隠し" in japanese


def test_a_form_is_made_from_what_the_game_declares(organiser: Client) -> None:
    url = reverse("contest_from_game", args=["mini"])
    page = organiser.get(url).content.decode()
    assert "Largest mean error" in page
    assert 'max="120"' in page
    assert "people.csv: a CSV file in UTF-8; its first line may be age." in page
    japanese = organiser.get(url, headers={"Accept-Language": "ja"}).content.decode()
    assert "平均誤差の上限" in japanese
    assert "隠す年齢。" in japanese


def test_a_contest_by_an_installed_game_has_its_round_data_house_and_phases(organiser: Client) -> None:
    round_ = from_installed(organiser)
    assert not round_.contest.is_public
    assert (round_.params, round_.ranking, round_.feedback) == ({"limit-error": 15.0}, "standard", "bands")
    spans = [(phase.kind, (phase.ends_at - phase.starts_at).days) for phase in round_.phases.all()]
    assert spans == [(Phase.Kind.ANONYMISE, 3), (Phase.Kind.ATTACK, 2), (Phase.Kind.RESULTS, 30)]
    work_off()
    round_.refresh_from_db()
    assert round_.build_state == BuildState.READY, round_.build_log
    assert HouseOrder.objects.get().parameters == {"by": 1}
    assert Entry.objects.get(round=round_).state == Entry.State.VALID
    assert [attack.name for attack in Attack.objects.filter(round=round_)] == ["copy"]
    assert "its data are ready" in organiser.get(reverse("organise_games", args=["ages"])).content.decode()


def test_with_sample_entries_the_house_plays_everything(organiser: Client) -> None:
    page = organiser.get(reverse("contest_from_game", args=["mini"]))
    assert "With sample entries" in page.content.decode()
    declared = page.context["form"].declared
    round_ = from_installed(organiser, methods=[], attacks=[], samples="on")
    work_off()
    orders = HouseOrder.objects.filter(round=round_).values_list("method", flat=True)
    assert sorted(orders) == sorted(method.name for method in declared.methods)
    found = {attack.name for attack in Attack.objects.filter(round=round_)}
    assert found == {attack.name for attack in declared.attacks}
    assert Entry.objects.filter(round=round_, team__is_house=True).count() == len(declared.methods)


@pytest.mark.parametrize(
    ("field", "value", "word"),
    [
        ("param-limit-error", "121", "a number from 0 to 120"),
        ("rule", "other", "Select a valid choice"),
        ("attacks", ["burgle"], "Select a valid choice"),
        ("starts_at", "soon", "Enter a valid date/time"),
        ("file-people.csv", "", "This field is required"),
        ("slug", "a b", "hyphens"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(organiser: Client, field: str, value: Any, word: str) -> None:
    given = {**CONTEST, **ROUND, **people(), field: value}
    answer = organiser.post(reverse("contest_from_game", args=["mini"]), given)
    assert answer.status_code == 422
    assert word in answer.content.decode()
    assert not Contest.objects.exists()


def test_bad_data_fail_with_a_reason_and_are_brought_again(organiser: Client) -> None:
    round_ = from_installed(organiser, **people(b"age\nold\n"))
    work_off()
    url = reverse("organise_game_data", args=["ages", "first"])
    page = organiser.get(url).content.decode()
    assert "its data could not be made" in page
    assert "people.csv, line 2" in page
    assert organiser.post(url, people()).status_code == 302
    work_off()
    round_.refresh_from_db()
    assert round_.build_state == BuildState.READY
    assert organiser.post(url, people()).status_code == 422, "what is made stays"


def test_an_uploaded_game_begins_a_contest_without_a_round(organiser: Client) -> None:
    answer = organiser.post(reverse("contest_from_upload"), {**CONTEST, **zip_of(mini())})
    assert answer.status_code == 302
    contest = Contest.objects.get()
    assert not contest.is_public
    assert not contest.rounds.exists()
    package = GamePackage.objects.get(contest=contest)
    assert Job.objects.get(game=package).kind == Job.Kind.GAME
    for page in ("organise", "organise_games", "organise_settings", "organise_house", "organise_attacks"):
        assert organiser.get(reverse(page, args=["ages"])).status_code == 200, page
    page = organiser.get(reverse("organise_game", args=["ages", package.pk])).content.decode()
    assert "its examples are being run" in page


HOSTILE = {
    "no zip": (b"PK, or so it says", "zip"),
    "no declaration": (zipped({"game.py": b""}), "game.yaml"),
    "no code": (zipped({"game.yaml": (MINI / "game.yaml").read_bytes()}), "game.py"),
    "a path outside": (zipped({"../game.yaml": b"", "game.py": b""}), "path"),
    "tags": (zipped({"game.yaml": b"name: !!python/name:os.system x\n", "game.py": b""}), "game.yaml"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_bad_zip_is_refused_in_clear_words(organiser: Client, kind: str) -> None:
    content, word = HOSTILE[kind]
    contest = make_contest(slug="ages", organiser=None)
    contest.organisers.update(user=make_user("kitsune"))
    organiser.force_login(contest.organisers.get().user)
    answer = organiser.post(reverse("organise_upload_game", args=["ages"]), zip_of(content))
    assert answer.status_code == 422
    page = answer.content.decode()
    assert word in page[page.index("errorlist") :][:600]
    assert not GamePackage.objects.exists()


def test_findings_are_green_red_or_not_tried(organiser: Client) -> None:
    organiser.post(reverse("contest_from_upload"), {**CONTEST, **zip_of(mini())})
    package = GamePackage.objects.get()
    part = {"law": "one year more", "meaning": "", "holds": False, "detail": "one year more, error: got 2.0"}
    findings = [
        {
            "law": "examples",
            "meaning": "Every example comes out as it says.",
            "holds": False,
            "detail": "",
            "parts": [part],
        },
        {
            "law": "secret-stays",
            "meaning": "No published file holds a secret one.",
            "holds": True,
            "detail": "",
        },
        {"law": "same-twice", "meaning": "", "holds": None, "detail": "Kept small."},
    ]
    Job.objects.all().delete()
    GamePackage.objects.update(state=GamePackage.State.BROKEN, findings=findings, log="Traceback: here")
    url = reverse("organise_game", args=["ages", package.pk])
    page = organiser.get(url).content.decode()
    for word in ("Example: one year more", "red", "green", "not tried", "got 2.0", "Traceback: here"):
        assert word in page, word
    assert (
        "公開ファイルに秘密のファイルが含まれない。"
        in organiser.get(url, headers={"Accept-Language": "ja"}).content.decode()
    )
    assert organiser.post(reverse("organise_game_again", args=["ages", package.pk])).status_code == 302
    package.refresh_from_db()
    assert package.state == GamePackage.State.WAITING


def test_parameters_change_until_somebody_has_played(organiser: Client) -> None:
    round_ = from_installed(organiser, methods=[])
    work_off()
    url = reverse("organise_round_settings", args=["ages", "first"])
    round_.refresh_from_db()
    form = organiser.get(url).context["form"]
    given = {name: form[name].value() for name in form.fields if form[name].value() is not None}
    given |= {"param-limit-error": "30", "reason": "too strict"}
    preview = organiser.post(url, given)
    assert "makes the data of the round again" in preview.content.decode()
    given |= {"previewed": preview.context["form"].data["previewed"]}
    assert organiser.post(url, given).status_code == 302
    work_off()
    round_.refresh_from_db()
    assert round_.params == {"limit-error": 30.0}
    assert round_.build_state == BuildState.READY
    assert not Sealed.objects.filter(round=round_, name="people.csv").exists(), "it is public again"
    assert "people.csv" in Round.objects.get().dataset.files
    assert organiser.post(url, {**given, "param-limit-error": "200"}).status_code == 422
    organiser.post(reverse("organise_game_house", args=["ages", "first", "shift"]), {"param-by": "2"})
    work_off()
    assert Entry.objects.get().state == Entry.State.VALID
    given |= {"param-limit-error": "40", "version": Round.objects.get().settings_version, "previewed": ""}
    refused = organiser.post(url, given)
    assert refused.status_code == 422
    assert "judged by these parameters" in refused.content.decode()


def test_the_house_plays_by_what_the_game_declares(organiser: Client) -> None:
    from_installed(organiser, methods=[], attacks=[])
    work_off()
    assert "Shift" in organiser.get(reverse("organise_house", args=["ages"])).content.decode()
    url = reverse("organise_game_house", args=["ages", "first", "shift"])
    assert "Years" in organiser.get(url).content.decode()
    assert organiser.post(url, {"param-by": "21"}).status_code == 422
    assert organiser.post(url, {"param-by": "3"}).status_code == 302
    work_off()
    assert Entry.objects.get().measures == {"error": 3.0}
    assert (
        organiser.post(
            reverse("organise_game_attack", args=["ages", "first"]), {"attack": "copy"}
        ).status_code
        == 302
    )
    work_off()
    assert Attack.objects.get().runs.get().risk == 0.0
    assert organiser.get(reverse("organise_game_house", args=["ages", "first", "burn"])).status_code == 404


TABS = (
    "timeline settings games teams entries rescores attacks house capacity signals audit archive operations"
)
PAGES = ("organise", *(f"organise_{name}" for name in TABS.split()))


def test_every_page_of_the_organisers_knows_a_round_of_a_game(organiser: Client) -> None:
    from_installed(organiser)
    work_off()
    for name in PAGES:
        answer = organiser.get(reverse(name, args=["ages"]))
        assert answer.status_code == 200, name
    assert organiser.get(reverse("organise_data", args=["ages", "first"])).status_code == 302
    assert organiser.get(reverse("organise_limits", args=["ages", "first"])).status_code == 302


def tried(organiser: Client) -> Trial:
    """Aki's entry is first by the second version; the house's and Haru's were by the first."""
    organiser.post(reverse("contest_from_upload"), {**CONTEST, **zip_of(mini())})
    contest = Contest.objects.get()
    package = GamePackage.objects.get()
    accepted(package)
    given = {**ROUND, **people(), "starts_at": "2026-01-01T10:00", "hide_days": "365", "methods": []}
    assert organiser.post(reverse("organise_game_round", args=["ages", package.pk]), given).status_code == 302
    teams = [make_team(contest, name) for name in ("Aki", "Haru")]
    work_off()
    round_ = Round.objects.get()
    Phase.objects.filter(round=round_, kind=Phase.Kind.ANONYMISE).update(ends_at="2999-01-01T00:00Z")
    for team, files in zip(teams, (EXACT, NEAR), strict=True):
        make_entry(round_, team, files)
    work_off()
    second = uploaded(organiser, contest, version_2())
    begun = organiser.post(reverse("organise_try", args=["ages", second.pk, "first"]))
    assert begun.status_code == 302
    work_off()
    return Trial.objects.get()


def test_a_version_is_tried_shown_and_made_live(organiser: Client) -> None:
    trial = tried(organiser)
    url = reverse("organise_trial", args=["ages", trial.pk])
    page = organiser.get(url).content.decode()
    assert "mini 1.0 → mini 2.0" in page
    assert "1 → 2" in page
    assert "2 → 1" in page
    assert "id_reason" in page, "also while nobody else sees the contest"
    decide = reverse("organise_decide_trial", args=["ages", trial.pk])
    organiser.post(decide, {"act": "live", "reason": ""})
    assert Round.objects.get().game == trial.game_before, "a reason is needed"
    organiser.post(decide, {"act": "live", "reason": "near enough"})
    assert Round.objects.get().game == trial.game
    assert "near enough" in organiser.get(url).content.decode()
    changes = Client().get(reverse("changes", args=["ages"]))
    assert changes.status_code == 404, "the contest is not public yet"
    Contest.objects.update(is_public=True)
    assert "mini 1.0 → mini 2.0" in Client().get(reverse("changes", args=["ages"])).content.decode()


def test_a_version_that_cannot_follow_is_refused_in_words(organiser: Client) -> None:
    trial = tried(organiser)
    organiser.post(reverse("organise_decide_trial", args=["ages", trial.pk]), {"act": "discard"})
    package = uploaded(
        organiser, trial.round.contest, version_2(("game.yaml", "shown: public", "shown: secret"))
    )
    answer = organiser.post(reverse("organise_try", args=["ages", package.pk, "first"]), follow=True)
    assert "people.csv is declared differently in the new version." in answer.content.decode()


def test_nobody_else_sees_any_of_it(organiser: Client) -> None:
    trial = tried(organiser)
    Contest.objects.update(is_public=True)
    package = trial.game.pk
    member = trial.round.entries.earliest("pk").team.memberships.get().user
    addresses = [
        reverse("organise_games", args=["ages"]),
        reverse("organise_game", args=["ages", package]),
        reverse("organise_game_round", args=["ages", package]),
        reverse("organise_installed_round", args=["ages", "mini"]),
        reverse("organise_game_data", args=["ages", "first"]),
        reverse("organise_game_house", args=["ages", "first", "shift"]),
        reverse("organise_trial", args=["ages", trial.pk]),
    ]
    posts = [
        reverse("organise_upload_game", args=["ages"]),
        reverse("organise_game_again", args=["ages", package]),
        reverse("organise_try", args=["ages", package, "first"]),
        reverse("organise_decide_trial", args=["ages", trial.pk]),
        reverse("organise_game_attack", args=["ages", "first"]),
    ]
    for user in (make_user("stranger"), member):
        client = Client()
        client.force_login(user)
        assert {client.get(url).status_code for url in addresses} == {404}
        assert {client.post(url).status_code for url in posts} == {404}
        assert client.get(reverse("contest_from_upload")).status_code == 404
        assert client.get(reverse("contest_from_game", args=["mini"])).status_code == 404
    visitor = Client()
    assert {visitor.get(url).status_code for url in addresses} == {302}, "log in first"
    other = make_contest(slug="other", organiser=make_user("rival"))
    rival = Client()
    rival.force_login(other.organisers.get().user)
    assert rival.get(reverse("organise_game", args=["other", package])).status_code == 404
    assert rival.get(reverse("organise_trial", args=["other", trial.pk])).status_code == 404
