"""Rounds and phases come and go by the organisers' pages."""

from __future__ import annotations

import datetime

import pytest
from django.contrib.messages import get_messages
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from contest.models import AuditEvent, Contest, Phase, Round, User
from contest.models.round import Feedback
from tests.contest.test_organise_pages import local, phase_of, seen
from tests.contest.test_organise_settings import form_of, save, send
from tests.factories import make_contest, make_entry, make_round, make_team, make_user

pytestmark = pytest.mark.django_db

HOUR = datetime.timedelta(hours=1)
ADD, REMOVE = "organise_add_round", "organise_remove_round"


@pytest.fixture
def round_() -> Round:
    start = timezone.now().replace(microsecond=0) - HOUR
    phases = [
        (Phase.Kind.ANONYMISE, start, start + 2 * HOUR),
        (Phase.Kind.ATTACK, start + 3 * HOUR, start + 5 * HOUR),
    ]
    contest = make_contest(make_user("oni"), slug="demo", time_zone="Asia/Tokyo")
    return make_round(contest, phases=phases, feedback=Feedback.NONE)


@pytest.fixture
def organiser(client: Client, round_: Round) -> Client:
    client.force_login(User.objects.get(name_key="oni"))
    return client


def order(client: Client, **fields: str) -> dict[str, str]:
    """A new round in a day, as the form would send it."""
    tomorrow = local(timezone.now() + 24 * HOUR)
    decided = {"like": "round/practice", "name": "Second", "slug": "second", "starts_at": tomorrow}
    return {**form_of(client, ADD), **decided, "reason": "more to play", **fields}


def test_a_round_is_shown_before_it_is_added_and_removed_again(organiser: Client, round_: Round) -> None:
    data = order(organiser)
    shown = send(organiser, data, ADD)
    codes = [item.code for item in shown.context["consequences"]]
    assert codes[:2] == ["phase-anonymise", "phase-attack"]
    assert "Add this round" in shown.content.decode()
    assert Round.objects.count() == 1
    assert save(organiser, data, ADD).status_code == 302
    second = Round.objects.get(slug="second")
    assert second.is_hidden
    page = organiser.get(reverse("organise_settings", args=["demo"])).content.decode()
    # The first round has begun; only the second can be taken away.
    assert [f"rounds/{slug}/remove/" in page for slug in ("practice", "second")] == [False, True]
    public = Client().get(reverse("contest", args=["demo"])).content.decode()
    assert "Second" not in public
    assert Client().get(second.get_absolute_url()).status_code == 404
    assert organiser.get(second.get_absolute_url()).status_code == 200
    gone = form_of(organiser, REMOVE, "second") | {"reason": "one is enough"}
    assert save(organiser, gone, REMOVE, "second").status_code == 302
    assert not Round.objects.filter(slug="second").exists()
    assert AuditEvent.objects.get(verb="round.removed").reason == "one is enough"


def test_of_two_who_add_a_round_the_second_sees_the_conflict(organiser: Client) -> None:
    mine, theirs = order(organiser, slug="mine"), order(organiser, slug="theirs")
    previewed = send(organiser, mine, ADD).context["form"]["previewed"].value()
    assert save(organiser, theirs, ADD).status_code == 302
    for data in (mine, {**mine, "previewed": previewed}):
        answer = send(organiser, data, ADD)
        assert answer.status_code == 409
        assert answer.context["form"]["slug"].value() == "mine"
    fresh = {**mine, "version": str(answer.context["form"]["version"].value())}
    assert save(organiser, fresh, ADD).status_code == 302
    assert set(Round.objects.values_list("slug", flat=True)) == {"practice", "mine", "theirs"}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("like", "round/none"),
        ("slug", "new"),
        ("slug", "a b"),
        ("name", ""),
        ("starts_at", "x"),
        ("reason", ""),
    ],
)
def test_what_makes_no_sense_is_told_at_its_field(organiser: Client, field: str, value: str) -> None:
    answer = send(organiser, order(organiser, **{field: value}), ADD)
    assert answer.status_code == 422
    assert field in answer.context["form"].errors


def test_what_cannot_be_is_told_before_anything_is_saved(organiser: Client, round_: Round) -> None:
    past = send(organiser, order(organiser, starts_at=local(timezone.now() - HOUR)), ADD)
    assert (past.status_code, "future" in str(past.context["form"].non_field_errors())) == (422, True)
    make_entry(round_, make_team(round_.contest))
    begun = send(
        organiser, form_of(organiser, REMOVE, "practice") | {"reason": "why not"}, REMOVE, "practice"
    )
    assert (begun.status_code, "begun" in str(begun.context["form"].non_field_errors())) == (422, True)


def said(answer) -> str:
    assert answer.status_code == 302
    return " ".join(str(message) for message in get_messages(answer.wsgi_request))


def test_a_phase_is_added_and_removed_on_the_timeline(organiser: Client, round_: Round) -> None:
    url = reverse("organise_add_phase", args=["demo", "practice"])
    starts = phase_of(round_, "anonymise").ends_at
    data = {"version": "1", "kind": "handover", "starts_at": local(starts), "reason": "time to copy"}
    assert "Add a phase" in organiser.get(reverse("organise_timeline", args=["demo"])).content.decode()
    assert "would start at" in said(organiser.post(url, {**data, "ends_at": local(starts + 2 * HOUR)}))
    assert "Phase" in said(organiser.post(url, {**data, "kind": "attack"}))
    data["ends_at"] = local(starts + HOUR)
    assert "Done" in said(organiser.post(url, data))
    assert "Somebody else" in said(organiser.post(url, {**data, "kind": "registration"}))
    phase = phase_of(round_, "handover")
    assert (phase.starts_at, phase.ends_at) == (starts, starts + HOUR)
    removal = reverse("organise_phase", args=["demo", phase.pk, "remove"])
    moved = {**seen(phase), "seen_ends": (phase.ends_at + HOUR).isoformat()}
    assert "Somebody else" in said(organiser.post(removal, {**moved, "reason": "gone"}))
    assert "Done" in said(organiser.post(removal, {**seen(phase), "reason": "gone"}))
    assert not Phase.objects.filter(pk=phase.pk).exists()


def test_a_round_is_hidden_and_shown_by_its_settings(organiser: Client) -> None:
    assert save(organiser, order(organiser), ADD).status_code == 302
    data = form_of(organiser, "organise_round_settings", "second") | {"reason": "look what comes"}
    data["is_hidden"] = "false"
    shown = send(organiser, data, "organise_round_settings", "second")
    assert [item.code for item in shown.context["consequences"]] == ["round-shown"]
    assert save(organiser, data, "organise_round_settings", "second").status_code == 302
    assert "Second" in Client().get(reverse("contest", args=["demo"])).content.decode()
    assert Contest.objects.get().rounds.get(slug="second").settings_version == 2
