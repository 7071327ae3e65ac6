"""Announcements by mail: by a worker, once each, also when the mail server stumbles."""

from __future__ import annotations

import smtplib
from typing import Any

import pytest
from django.core import mail

from contest.models import AnnouncementMail, AuditEvent, Contest, Job, User
from contest.services.contests import announce
from contest.services.team_status import remove_team
from contest.work.handlers import work_on
from tests.factories import make_contest, make_team, make_user, work_off

pytestmark = pytest.mark.django_db


@pytest.fixture
def contest() -> Contest:
    contest = make_contest(make_user("oni"), title="Hide\nand seek")
    for name in ("tanuki", "kitsune", "neko"):
        make_team(contest, name.title(), make_user(name))
    return contest


def oni() -> User:
    return User.objects.get(name_key="oni")


def test_a_worker_writes_to_every_member_once(contest: Contest) -> None:
    remove_team(contest.teams.get(name="Neko"), oni(), "asked to leave")
    User.objects.filter(name_key="kitsune").update(is_active=False)
    announce(contest, oni(), "Longer", "We extend *everything*.", by_mail=True)
    assert mail.outbox == []
    work_off()
    work_on(Job.Kind.MAIL)
    assert [letter.to for letter in mail.outbox] == [["tanuki@example.org"]]
    letter = mail.outbox[0]
    assert letter.subject == "[Hide and seek] Longer"
    assert "We extend *everything*." in letter.body
    assert contest.get_absolute_url() in letter.body
    assert AuditEvent.objects.get(verb="announcement.mailed").after == {"letters": 1}


def test_without_the_wish_nobody_is_written_to(contest: Contest) -> None:
    announce(contest, oni(), "Quiet", "")
    assert not Job.objects.filter(kind=Job.Kind.MAIL).exists()


def test_after_a_failure_only_the_missing_letters_are_sent(
    contest: Contest, monkeypatch: pytest.MonkeyPatch
) -> None:
    send = mail.EmailMessage.send
    refused = {"kitsune@example.org"}

    def stumble(letter: mail.EmailMessage, *args: Any, **options: Any) -> int:
        if refused & set(letter.to):
            refused.clear()
            raise smtplib.SMTPServerDisconnected("gone")
        return send(letter, *args, **options)

    monkeypatch.setattr(mail.EmailMessage, "send", stumble)
    announce(contest, oni(), "Longer", "", by_mail=True)
    work_off()
    addressed = sorted(letter.to[0] for letter in mail.outbox)
    assert addressed == ["kitsune@example.org", "neko@example.org", "tanuki@example.org"]
    assert Job.objects.get(kind=Job.Kind.MAIL).attempts == 2
    assert set(AnnouncementMail.objects.values_list("error", flat=True)) == {""}


def test_a_letter_whose_worker_died_is_not_sent_twice(contest: Contest) -> None:
    announce(contest, oni(), "Longer", "", by_mail=True)
    lost = AnnouncementMail.objects.get(user__name_key="neko")
    AnnouncementMail.objects.filter(pk=lost.pk).update(claimed_at=lost.announcement.published_at)
    work_off()
    assert len(mail.outbox) == 2
    assert AnnouncementMail.objects.get(pk=lost.pk).sent_at is None
