from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from contest.bundle.specification import PhaseSpec
from contest.declarations.contest import CONTEST
from contest.errors import Refused
from contest.models import Announcement, Contest, Dataset, Notification, Organiser, Phase, Round, User
from contest.models.round import Feedback
from contest.names.policy import TITLE
from contest.names.validation import clean_name, clean_slug
from contest.outside.announcement_mails import queue_mails
from contest.outside.notices import Notice, members_of, notify
from contest.records import audit
from contest.services.attacks import add_house_attack
from contest.services.phases import require_sound
from games.formats.rules import FileRules
from scoring.rules import Limit


def create_contest(user: User, *, slug: str, title: str, summary: str, **fields: Any) -> Contest:
    """Make a contest with its first organiser."""
    slug, title = clean_slug(slug), clean_name(title, TITLE)
    require_sound_joining({**JOINING, **fields})
    try:
        with transaction.atomic():
            contest = Contest.objects.create(slug=slug, title=title, summary=summary, **fields)
            Organiser.objects.create(contest=contest, user=user)
            audit.record("contest.created", contest, contest=contest, actor=user, after={"title": title})
    except IntegrityError:
        raise taken(slug) from None
    return contest


JOINING: Mapping[str, Any] = {
    setting.name: setting.default
    for setting in CONTEST
    if setting.name in ("registration_opens", "registration_closes", "min_team_size", "max_team_size")
}
"""The settings that must fit each other, with their defaults."""


def require_sound_joining(given: Mapping[str, Any]) -> None:
    """Registration closes after it opens, and teams of some size may hand in."""
    opens, closes = given["registration_opens"], given["registration_closes"]
    if opens is not None and closes is not None and closes < opens:
        text = _("Registration closes at %(closes)s, before it opens at %(opens)s.")
        raise Refused("registration-order", text % {"closes": closes.isoformat(), "opens": opens.isoformat()})
    least, most = given["min_team_size"], given["max_team_size"]
    if least > most:
        text = _("A team needs at least %(least)s members and has at most %(most)s.")
        raise Refused("team-sizes", text % {"least": least, "most": most})


def taken(slug: str) -> Refused:
    return Refused(
        "slug-taken", _("The address %(slug)s is taken already, or one that looks like it.") % {"slug": slug}
    )


def create_round(
    contest: Contest,
    user: User,
    *,
    dataset: Dataset,
    limits: Sequence[Limit],
    attacks: Sequence[str],
    phases: Sequence[tuple[Phase.Kind, datetime.datetime, datetime.datetime]],
    file_rules: FileRules | None = None,
    reason: str = "",
    **fields: Any,
) -> Round:
    """Make a round with its phases, limits and house attacks.

    Phases follow each other; only with full feedback, as in a practice, may hiding and seeking overlap.
    """
    spans = [PhaseSpec(kind, starts, ends) for kind, starts, ends in phases]
    require_sound(spans, fields.get("feedback", Feedback.BANDS), contest.zone)
    with transaction.atomic():
        round_ = Round.objects.create(
            contest=contest,
            dataset=dataset,
            limits=[dataclasses.asdict(limit) for limit in limits],
            file_rules=dataclasses.asdict(file_rules) if file_rules else {},
            **fields,
        )
        Phase.objects.bulk_create(
            Phase(round=round_, kind=kind, starts_at=starts, ends_at=ends) for kind, starts, ends in phases
        )
        for name in attacks:
            add_house_attack(round_, name, user)
        after = {"name": round_.name}
        audit.record("round.created", round_, contest=contest, actor=user, after=after, reason=reason)
    return round_


def announce(contest: Contest, user: User, title: str, body: str, *, by_mail: bool = False) -> Announcement:
    """Publish an announcement; by mail too, a worker writes to every member of the teams, once each."""
    with transaction.atomic():
        announcement = Announcement.objects.create(
            contest=contest, author=user, title=title, body=body, by_mail=by_mail
        )
        after = {"title": title, "by_mail": by_mail}
        audit.record("announcement.published", announcement, contest=contest, actor=user, after=after)
        if contest.is_public:
            notice = Notice(Notification.Kind.ANNOUNCEMENT, contest, facts=after)
            # Announcements by mail have a way of their own, which organisers choose.
            notify(notice, members_of(contest.teams.filter(is_house=False)), by_mail=False)
        if by_mail:
            queue_mails(announcement)
    return announcement
