"""Notices in words, with the page that each is about."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from contest.models import Entry, Notification, NotificationChoice, Phase, User


@dataclass(frozen=True)
class ShownNotice:
    id: int
    text: str
    contest: str
    address: str
    at: datetime.datetime
    is_read: bool


def shown_notices(notices: Iterable[Notification]) -> list[ShownNotice]:
    return [
        ShownNotice(
            id=notice.pk,
            text=_text(notice),
            contest=notice.contest.title,
            address=_address(notice),
            at=notice.created_at,
            is_read=notice.read_at is not None,
        )
        for notice in notices
    ]


def _text(notice: Notification) -> str:
    facts = notice.facts
    round_ = notice.round.name if notice.round else ""
    if notice.kind == Notification.Kind.SCORED:
        names = {"number": facts["number"], "round": round_, "state": Entry.State(facts["state"]).label}
        return _("%(round)s: entry %(number)s of your team is judged: %(state)s.") % names
    if notice.kind == Notification.Kind.OVERTAKEN:
        names = {"round": round_, "place": facts["place"], "was": facts["was"]}
        return _("%(round)s: your team is in place %(place)s now; it was in place %(was)s.") % names
    if notice.kind == Notification.Kind.REMINDER:
        names = {"round": round_, "phase": Phase.Kind(facts["phase"]).label, "hours": facts["hours"]}
        text = _("%(round)s: the phase “%(phase)s” ends in %(hours)s hours; your team has nothing in it yet.")
        return text % names
    if notice.kind == Notification.Kind.ANSWER:
        return _("The organisers answered your question: %(text)s") % {"text": facts["text"]}
    return _("Announcement: %(title)s") % {"title": facts["title"]}


def _address(notice: Notification) -> str:
    slug = notice.contest.slug
    if notice.kind == Notification.Kind.ANSWER:
        return f"{reverse('questions', args=[slug])}#question-{notice.facts['question']}"
    if notice.round is None:
        return reverse("contest", args=[slug])
    if notice.entry is not None:
        return reverse("entry", args=[slug, notice.round.slug, notice.entry_id])
    if notice.kind == Notification.Kind.REMINDER:
        hides = notice.facts["phase"] == Phase.Kind.ANONYMISE
        return reverse("upload" if hides else "seek", args=[slug, notice.round.slug])
    return reverse("leaderboard", args=[slug, notice.round.slug])


def choices_of(user: User) -> dict[str, dict[str, bool]]:
    """By kind and channel what somebody gets: by their choice, or by default."""
    chosen = {row.kind: row for row in NotificationChoice.objects.filter(user=user)}
    return {
        kind: {
            channel: getattr(chosen[kind], channel)
            if kind in chosen
            else NotificationChoice.default(kind, channel)
            for channel in NotificationChoice.CHANNELS
        }
        for kind in Notification.Kind.values
    }
