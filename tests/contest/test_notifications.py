"""Notices: of what people are told, by which channels, and of what they are not."""

from __future__ import annotations

import datetime

import pytest
from django.test import Client
from django.utils import timezone

from contest.models import (
    Announcement,
    AnnouncementMail,
    AuditEvent,
    Contest,
    Delivery,
    Entry,
    Mail,
    Notification,
    NotificationChoice,
    Phase,
    Round,
    Standing,
    User,
)
from contest.outside.notices import KEPT, KEPT_FOR, forget_old_notices, tell_judged
from contest.outside.overtaking import tell_overtaken
from contest.outside.webhooks import create_webhook, queue_deliveries
from contest.records.audit import extend_all_chains
from contest.services.contests import announce
from contest.services.notifications import choose_notices
from contest.services.questions import Answer, answer_question, ask_question
from tests.factories import make_contest, make_round, make_team, make_user
from tests.overall_rounds import scored

pytestmark = pytest.mark.django_db


@pytest.fixture
def round_() -> Round:
    contest = make_contest(make_user("oni"), slug="demo")
    for name in ("Tanuki", "Kitsune"):
        make_team(contest, name, make_user(name.lower()))
    return make_round(contest)


def person(name: str) -> User:
    return User.objects.get(username=name)


def browser(name: str) -> Client:
    client = Client()
    client.force_login(person(name))
    return client


def got() -> list[tuple[str, str]]:
    return sorted(Notification.objects.values_list("user__username", "kind"))


def entry_of(round_: Round, name: str) -> Entry:
    return scored(round_, round_.contest.teams.get(name=name), 50.0)


def places(round_: Round, *names: str) -> list[dict[str, object]]:
    ids = dict(round_.contest.teams.values_list("name", "pk"))
    return [{"team": ids[name], "rank": number, "total": 1.0} for number, name in enumerate(names, 1)]


def refuse(name: str, kind: str, channel: str) -> None:
    wanted = {
        one: {way: NotificationChoice.default(one, way) for way in NotificationChoice.CHANNELS}
        for one in Notification.Kind.values
    }
    wanted[kind][channel] = False
    choose_notices(person(name), wanted)


def test_a_judged_entry_is_told_to_its_team_in_the_page_and_not_by_mail(round_: Round) -> None:
    tell_judged(entry_of(round_, "Tanuki"), "valid")
    assert got() == [("tanuki", "scored")]
    assert not Mail.objects.filter(kind="scored").exists()
    page = browser("tanuki").get("/notifications/").content.decode()
    assert "entry 1 of your team is judged: valid." in page
    assert "entry 1" not in browser("kitsune").get("/notifications/").content.decode()


def test_announcements_are_told_to_everybody_who_plays(round_: Round) -> None:
    announce(round_.contest, person("oni"), "Hello", "")
    assert got() == [("kitsune", "announcement"), ("tanuki", "announcement")]
    assert "Announcement: Hello" in browser("tanuki").get("/notifications/").content.decode()


def test_everyone_chooses_by_kind_and_channel(round_: Round) -> None:
    refuse("tanuki", "announcement", "mail")
    refuse("kitsune", "announcement", "page")
    announce(round_.contest, person("oni"), "Hello", "", by_mail=True)
    assert got() == [("tanuki", "announcement")]
    assert [mail.user.username for mail in AnnouncementMail.objects.all()] == ["kitsune"]


def test_the_account_page_shows_and_stores_the_choices(round_: Round) -> None:
    client = browser("tanuki")
    page = client.get("/account/").content.decode()
    assert page.count('name="notices-') == len(Notification.Kind) * 3
    client.post("/account/notifications/", {"notices-answer-page": "on", "notices-scored-mail": "on"})
    chosen = {row.kind: (row.page, row.mail, row.webhook) for row in NotificationChoice.objects.all()}
    assert chosen["answer"] == (True, False, False)
    assert chosen["scored"] == (False, True, False)
    assert AuditEvent.objects.filter(verb="user.notices_chosen", actor=person("tanuki")).count() == 1
    tell_judged(entry_of(round_, "Tanuki"), "valid")
    assert got() == []
    assert Mail.objects.get().kind == "scored"


def test_the_bell_counts_what_is_unread(round_: Round) -> None:
    announce(round_.contest, person("oni"), "Hello", "")
    announce(round_.contest, person("oni"), "Again", "")
    client = browser("tanuki")
    assert client.get("/").context["n_notices"] == 2
    first = Notification.objects.filter(user=person("tanuki")).order_by("pk")[0]
    client.post(f"/notifications/{first.pk}/read/")
    assert client.get("/").context["n_notices"] == 1
    assert browser("kitsune").post(f"/notifications/{first.pk}/read/").status_code == 404
    client.post("/notifications/read/")
    assert client.get("/").context["n_notices"] == 0
    assert browser("kitsune").get("/").context["n_notices"] == 2


def test_a_lost_place_is_told_where_everybody_sees_the_board(round_: Round) -> None:
    Round.objects.update(feedback="full")
    round_.refresh_from_db()
    before, after = places(round_, "Tanuki", "Kitsune"), places(round_, "Kitsune", "Tanuki")
    assert tell_overtaken(round_, before, after, timezone.now()) == 1
    assert got() == [("tanuki", "overtaken")]
    page = browser("tanuki").get("/notifications/").content.decode()
    assert "your team is in place 2 now; it was in place 1." in page


def test_nobody_is_told_of_a_place_on_a_board_that_is_hidden(round_: Round) -> None:
    """Neither while the results are hidden, nor by comparison with a record from that time."""
    before, after = places(round_, "Tanuki", "Kitsune"), places(round_, "Kitsune", "Tanuki")
    for feedback in ("none", "bands"):
        Round.objects.update(feedback=feedback)
        round_.refresh_from_db()
        assert tell_overtaken(round_, before, after, timezone.now()) == 0
    start = timezone.now() - datetime.timedelta(hours=1)
    Phase.objects.filter(round=round_, kind=Phase.Kind.RESULTS).delete()
    Phase.objects.create(round=round_, kind="results", starts_at=start, ends_at=timezone.now() + KEPT_FOR)
    assert tell_overtaken(round_, before, after, start - datetime.timedelta(minutes=1)) == 0
    assert got() == []
    assert tell_overtaken(round_, before, after, start + datetime.timedelta(minutes=1)) == 1
    Contest.objects.update(is_public=False)
    round_ = Round.objects.get(pk=round_.pk)
    assert tell_overtaken(round_, before, after, timezone.now()) == 0


def test_who_leaves_the_board_is_not_overtaken(round_: Round) -> None:
    Round.objects.update(feedback="full")
    round_.refresh_from_db()
    both, one = places(round_, "Tanuki", "Kitsune"), places(round_, "Kitsune")
    assert tell_overtaken(round_, both, one, timezone.now()) == 0
    assert not Standing.objects.exists()


def test_old_notices_are_dropped(round_: Round) -> None:
    for title in ("Old", "New"):
        announce(round_.contest, person("oni"), title, "")
    aged = Notification.objects.filter(facts__title="Old")
    aged.update(created_at=timezone.now() - KEPT_FOR - datetime.timedelta(days=1))
    assert forget_old_notices() == 2
    extra = Notification.objects.get(user=person("tanuki"))
    fields = {"user": extra.user, "contest": extra.contest, "kind": extra.kind, "facts": extra.facts}
    Notification.objects.bulk_create(
        Notification(**fields, created_at=extra.created_at) for _ in range(KEPT + 5)
    )
    forget_old_notices()
    assert Notification.objects.filter(user=extra.user).count() == KEPT
    assert not Notification.objects.filter(pk=extra.pk).exists()


def test_a_contest_that_is_taken_back_shows_no_notices(round_: Round) -> None:
    announce(round_.contest, person("oni"), "Hello", "")
    Contest.objects.update(is_public=False)
    assert "Hello" not in browser("tanuki").get("/notifications/").content.decode()
    announce(Contest.objects.get(), person("oni"), "Again", "")
    assert Announcement.objects.count() == 2
    assert Notification.objects.count() == 2


def test_a_team_gets_its_own_news_by_webhook_as_its_member_chose(round_: Round) -> None:
    contest = round_.contest
    team = contest.teams.get(name="Tanuki")
    for name in ("tanuki", "kitsune"):
        mine = contest.teams.get(memberships__user=person(name))
        create_webhook(contest, person(name), "https://example.org/news", mine)
    question = ask_question(contest, team, person("tanuki"), "Why?")
    answer_question(question, person("oni"), Answer("So."))
    Round.objects.update(feedback="full")
    round_.refresh_from_db()
    before, after = places(round_, "Tanuki", "Kitsune"), places(round_, "Kitsune", "Tanuki")
    tell_overtaken(round_, before, after, timezone.now())
    announce(contest, person("oni"), "Hello", "")
    refuse("kitsune", "announcement", "webhook")
    extend_all_chains()
    queue_deliveries()
    sent = sorted(Delivery.objects.values_list("webhook__team__name", "kind"))
    assert sent == [("Tanuki", "announcement"), ("Tanuki", "answer"), ("Tanuki", "overtaken")]
