"""Deleting an account: the person goes, what the team handed in stays under the team's name."""

from __future__ import annotations

import secrets

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from contest.errors import Refused
from contest.models import (
    AccountToken,
    ApiToken,
    Identity,
    Invitation,
    LogIn,
    Mail,
    Notification,
    NotificationChoice,
    Organiser,
    User,
)
from contest.outside.outbox import queue_mail
from contest.records import audit
from contest.records.locks import lock_person, lock_teams_of
from contest.services.leaving import Parting, leave, parting_of


def partings(user: User) -> list[Parting]:
    """What would become of each team of this person."""
    return [
        parting_of(row) for row in user.memberships.select_related("team__contest", "user").order_by("id")
    ]


def delete_account(user: User) -> None:
    """Forget the person: name, address, password, identities, log-ins, tokens. Entries and audit log stay."""
    with transaction.atomic():
        lock_teams_of(user.pk)
        lock_person(user.pk)
        user = User.objects.get(pk=user.pk, deleted_at=None)
        _require_no_orphan(user)
        for parting in partings(user):
            row = parting.membership
            audit.record("team.left", row.team, contest=row.contest, actor=user)
            leave(parting)
        audit.record("user.deleted", user, contest=None, actor=user)
        queue_mail(Mail.Kind.DELETED, user, facts={"name": user.username})
        now = timezone.now()
        ApiToken.objects.filter(user=user, revoked_at=None).update(revoked_at=now)
        Invitation.objects.filter(created_by=user, revoked_at=None).update(revoked_at=now)
        AccountToken.objects.filter(user=user).delete()
        LogIn.objects.filter(user=user).delete()
        Identity.objects.filter(user=user).delete()
        Notification.objects.filter(user=user).delete()
        NotificationChoice.objects.filter(user=user).delete()
        Mail.objects.filter(user=user, sent_at=None).exclude(kind=Mail.Kind.DELETED).delete()
        _forget(user)


def _require_no_orphan(user: User) -> None:
    for row in Organiser.objects.filter(user=user).select_related("contest"):
        if not Organiser.objects.filter(contest=row.contest).exclude(user=user).exists():
            raise Refused(
                "last-organiser",
                _("You are the only organiser of %(contest)s. Name another one first.")
                % {"contest": row.contest.title},
            )


def _forget(user: User) -> None:
    gone = f"gone-{user.pk}-{secrets.token_hex(4)}"
    user.username = user.name_key = user.look_key = gone
    user.email = user.email_key = f"{gone}@deleted.invalid"
    user.alias_key = None
    user.alias = user.language = user.time_zone = ""
    user.email_confirmed_at = None
    user.has_public_profile = False
    user.is_active = user.is_staff = False
    user.deleted_at = timezone.now()
    user.session_salt = secrets.token_urlsafe(12)
    user.set_unusable_password()
    user.save()
