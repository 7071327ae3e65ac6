"""Settings by their pages: shown what follows, then saved; a stale form conflicts and loses nothing."""

from __future__ import annotations

import pytest
from django.contrib.messages import get_messages
from django.test import Client
from django.urls import reverse

from contest.models import AuditEvent, Contest, Entry, Organiser, Round, Team, User
from tests.factories import entry_files, make_contest, make_entry, make_round, make_team, make_user, work_off

pytestmark = pytest.mark.django_db


@pytest.fixture
def round_() -> Round:
    return make_round(make_contest(make_user("oni"), slug="demo"))


@pytest.fixture
def organiser(client: Client, round_: Round) -> Client:
    client.force_login(User.objects.get(name_key="oni"))
    return client


CONTEST = "organise_contest_settings"


def form_of(client: Client, name: str, *args: str) -> dict[str, str]:
    """What a browser would send back of the form unchanged."""
    form = client.get(reverse(name, args=["demo", *args])).context["form"]
    data = {}
    for field in form:
        value = field.value()
        if field.widget_type == "checkbox":
            if value:
                data[field.name] = "on"
        else:
            data[field.name] = "" if value is None else str(value)
    return data


def send(client: Client, data: dict[str, str], name: str, *args: str):
    return client.post(reverse(name, args=["demo", *args]), data)


def save(client: Client, data: dict[str, str], name: str, *args: str):
    """Look at what follows, then save exactly that."""
    shown = send(client, data, name, *args)
    assert shown.status_code == 200, shown.context["form"].errors
    return send(client, {**data, "previewed": shown.context["form"]["previewed"].value()}, name, *args)


def test_nothing_is_saved_before_it_was_shown_what_follows(organiser: Client, round_: Round) -> None:
    make_team(round_.contest, "Tanuki")
    data = form_of(organiser, CONTEST) | {"title": "Other", "reason": "a better name"}
    data["is_public"] = "false"
    shown = send(organiser, data, CONTEST)
    assert [item.code for item in shown.context["consequences"]] == ["becomes-hidden"]
    assert Contest.objects.get().title == "Hide and seek"
    digest = shown.context["form"]["previewed"].value()
    # Another value than the one that was shown is shown again first.
    again = send(organiser, {**data, "title": "Third", "previewed": digest}, CONTEST)
    assert again.status_code == 200
    assert Contest.objects.get().title == "Hide and seek"
    assert send(organiser, {**data, "previewed": digest}, CONTEST).status_code == 302
    contest = Contest.objects.get()
    assert (contest.title, contest.is_public, contest.settings_version) == ("Other", False, 2)
    event = AuditEvent.objects.get(verb="contest.changed")
    assert event.before == {"title": "Hide and seek", "is_public": True}
    assert event.after == {"title": "Other", "is_public": False}


def test_a_stale_form_conflicts_and_loses_nothing(organiser: Client) -> None:
    mine = form_of(organiser, CONTEST) | {"title": "Mine", "reason": "mine"}
    theirs = form_of(organiser, CONTEST) | {"summary": "Theirs.", "reason": "theirs"}
    previewed = send(organiser, mine, CONTEST).context["form"]["previewed"].value()
    assert save(organiser, theirs, CONTEST).status_code == 302
    for data in (mine, {**mine, "previewed": previewed}):
        answer = send(organiser, data, CONTEST)
        assert answer.status_code == 409
        assert answer.context["form"]["title"].value() == "Mine"
        assert {(str(row["label"]), row["now"], row["yours"]) for row in answer.context["compared"]} == {
            ("Title", "Hide and seek", "Mine"), ("Summary", "Theirs.", "A contest for tests.")
        }  # fmt: skip
    assert Contest.objects.get().title == "Hide and seek"
    # Sent again knowingly, with their summary taken over, it goes through.
    fresh = {**mine, "version": str(answer.context["form"]["version"].value()), "summary": "Theirs."}
    assert save(organiser, fresh, CONTEST).status_code == 302
    contest = Contest.objects.get()
    assert (contest.title, contest.summary) == ("Mine", "Theirs.")
    assert AuditEvent.objects.filter(verb="contest.changed").count() == 2


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", ""),
        ("slug", "no spaces"),
        ("time_zone", "Mars/Phobos"),
        ("max_team_size", "0"),
        ("reason", ""),
    ],
)
def test_what_makes_no_sense_is_told_at_its_field(organiser: Client, field: str, value: str) -> None:
    data = form_of(organiser, CONTEST) | {"reason": "why not", field: value}
    answer = send(organiser, data, CONTEST)
    assert answer.status_code == 422
    assert field in answer.context["form"].errors


def test_stricter_file_rules_make_entries_void_and_say_so_before(organiser: Client, round_: Round) -> None:
    team = make_team(round_.contest, "Tanuki")
    make_entry(round_, team, entry_files("shuffle", 1))
    shorter = dict(entry_files("shuffle", 2))
    shorter["T.csv"] = b"\n".join(shorter["T.csv"].split(b"\n")[:-2]) + b"\n"
    make_entry(round_, make_team(round_.contest, "Kitsune"), shorter)
    work_off()
    assert set(Entry.objects.values_list("state", flat=True)) == {"valid"}
    data = form_of(organiser, "organise_round_settings", "practice") | {"reason": "rows must stay"}
    data["drop_rows"] = "false"
    shown = send(organiser, data, "organise_round_settings", "practice")
    found = shown.context["consequences"]
    assert [(item.code, item.count) for item in found] == [("entries-invalid", 1)]
    assert "Kitsune #1" in found[0].text
    assert save(organiser, data, "organise_round_settings", "practice").status_code == 302
    marks = dict(Entry.objects.values_list("team__name", "mark"))
    assert marks == {"Tanuki": "", "Kitsune": "void"}
    assert "rows must stay" in Entry.objects.get(mark="void").mark_reason
    # The files of an entry that comes later are checked by the new rules.
    make_entry(round_, team, shorter)
    work_off()
    assert Entry.objects.get(team=team, number=2).problems[0]["code"] == "rows-dropped"


def test_a_ranking_and_attempts_tell_whom_they_concern(organiser: Client, round_: Round) -> None:
    team = make_team(round_.contest, "Tanuki")
    for seed in (1, 2):
        make_entry(round_, team, entry_files("shuffle", seed))
    work_off()
    data = form_of(organiser, "organise_round_settings", "practice")
    data |= {"reason": "less", "entries_in_total": "1", "ranking": "2026", "weight": "3", "feedback": "none"}
    shown = send(organiser, data, "organise_round_settings", "practice")
    counts = {item.code: item.count for item in shown.context["consequences"]}
    assert counts == {
        "places-change": 0, "overall-places-change": 0, "results-hidden": 2, "bits-told": 0,
        "attempts-overdrawn": 1,
    }  # fmt: skip
    assert save(organiser, data, "organise_round_settings", "practice").status_code == 302
    changed = Round.objects.get()
    assert (changed.ranking, changed.feedback, changed.entries_in_total) == ("2026", "none", 1)


def test_a_slug_that_is_taken_or_reserved_is_refused(organiser: Client, round_: Round) -> None:
    make_round(round_.contest, slug="final")
    data = form_of(organiser, "organise_round_settings", "practice") | {"reason": "x"}
    assert (
        save(organiser, {**data, "slug": "final"}, "organise_round_settings", "practice").status_code == 422
    )
    answer = send(organiser, {**data, "slug": "organise"}, "organise_round_settings", "practice")
    assert answer.status_code == 422
    assert Round.objects.filter(slug="practice").exists()


def test_organisers_are_added_and_removed_but_the_last_one_stays(organiser: Client, round_: Round) -> None:
    url = reverse("organise_organisers", args=["demo"])
    make_user("tengu")
    player = make_user("tanuki")
    make_team(round_.contest, "Tanuki", player)
    for name in ("tengu", "tanuki", "nobody"):
        organiser.post(url, {"username": name, "act": "add"})
    assert sorted(Organiser.objects.values_list("user__username", flat=True)) == ["oni", "tengu"]
    organiser.post(url, {"username": "oni", "act": "remove"})
    assert organiser.get(reverse("organise", args=["demo"])).status_code == 404
    other = Client()
    other.force_login(User.objects.get(name_key="tengu"))
    said = other.post(url, {"username": "tengu", "act": "remove"})
    assert "at least one" in str(list(get_messages(said.wsgi_request))[-1])
    verbs = AuditEvent.objects.filter(verb__startswith="organiser.").values_list("verb", flat=True)
    assert sorted(verbs) == ["organiser.added", "organiser.removed"]


def test_teams_are_locked_merged_and_removed_by_their_page(organiser: Client, round_: Round) -> None:
    first, second = (make_team(round_.contest, name) for name in ("Tanuki", "Kitsune"))
    act = reverse("organise_teams_act", args=["demo"])
    organiser.post(act, {"team": [first.pk], "act": "lock", "reason": "two accounts"})
    first.refresh_from_db()
    assert (first.status, first.status_reason) == ("locked", "two accounts")
    organiser.post(act, {"team": [first.pk], "act": "unlock", "reason": ""})
    assert Team.objects.get(pk=first.pk).status == "locked"
    organiser.post(act, {"team": [first.pk], "act": "unlock", "reason": "one person after all"})
    merge = reverse("organise_merge", args=["demo"])
    assert organiser.post(merge, {"source": first.pk, "reason": "x"}).status_code == 422
    organiser.post(merge, {"source": first.pk, "target": second.pk, "reason": "they asked for it"})
    first.refresh_from_db()
    assert (first.status, first.merged_into) == ("removed", second)
    assert second.memberships.count() == 2
    assert organiser.get(reverse("organise_teams", args=["demo"])).status_code == 200
