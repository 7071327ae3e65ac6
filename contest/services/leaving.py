"""Leaving a team: who leads it then, and what ends with it. What the team has handed in stays the team's."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from contest.errors import Refused
from contest.models import ApiToken, Invitation, Mail, Membership, User
from contest.outside.outbox import queue_mail
from contest.records import audit
from contest.records.locks import lock_person, lock_team
from contest.services.entry_marks import require_reason
from contest.services.registration import require_registration
from contest.services.teams import require_open_to_people


@dataclass(frozen=True)
class Parting:
    """What becomes of a team when somebody leaves it: who leads it then, or nobody."""

    membership: Membership
    heir: Membership | None
    is_last_captain: bool


def parting_of(row: Membership) -> Parting:
    others = Membership.objects.filter(team=row.team).exclude(pk=row.pk).select_related("user")
    has_captain = others.filter(role=Membership.Role.CAPTAIN).exists()
    is_last = row.role == Membership.Role.CAPTAIN and not has_captain
    return Parting(row, others.order_by("id").first() if is_last else None, is_last)


def leave(parting: Parting) -> None:
    """End a membership, and with it the links and tokens that the person made for the team."""
    row, now = parting.membership, timezone.now()
    if parting.heir is not None:
        Membership.objects.filter(pk=parting.heir.pk).update(role=Membership.Role.CAPTAIN)
        queue_mail(
            Mail.Kind.CAPTAIN,
            parting.heir.user,
            facts={"name": parting.heir.user.username, "team": row.team.name, "contest": row.contest.title},
        )
    Invitation.objects.filter(team=row.team, created_by=row.user, revoked_at=None).update(revoked_at=now)
    ApiToken.objects.filter(team=row.team, user=row.user, revoked_at=None).update(revoked_at=now)
    row.delete()


def remove_member(membership: Membership, user: User, reason: str = "") -> None:
    """Take somebody out of a team: the captain while people may join it, organisers always, saying why."""
    team = membership.team
    with transaction.atomic():
        lock_team(team.pk)
        lock_person(membership.user_id)
        members = Membership.objects.filter(team=team)
        if members.filter(user=user, role=Membership.Role.CAPTAIN).exists():
            require_open_to_people(team)
            require_registration(team.contest_id)
        else:
            require_reason(reason)
        row = members.filter(pk=membership.pk).select_related("team", "contest", "user").first()
        if row is None:
            raise Refused("changed-meanwhile", _("This person is no longer in the team."))
        if row.user_id == user.pk:
            raise Refused("own-membership", _("You cannot remove yourself from your team."))
        if not members.exclude(pk=row.pk).exists():
            raise Refused("last-member", _("This is the last member; the team can be removed instead."))
        audit.record(
            "team.member_removed",
            team,
            contest=row.contest,
            actor=user,
            before={"member": row.user.username, "role": row.role},
            reason=reason,
        )
        leave(parting_of(row))
