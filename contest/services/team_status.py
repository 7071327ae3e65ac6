"""What organisers do to teams: approve, lock, remove, merge. Nothing is deleted; each action has a reason."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from contest.errors import Refused
from contest.models import Entry, Invitation, Membership, Question, Round, Team, User
from contest.records import audit
from contest.records.locks import lock_entries, lock_teams
from contest.services.attacks import settle_entries, stop_attacks_of
from contest.services.attempts import count_attempts
from contest.services.entry_marks import choose_again, count_again, require_reason
from contest.services.seats import seat_teams

MAY_BECOME = {
    Team.Status.ACTIVE: (Team.Status.PENDING, Team.Status.LOCKED, Team.Status.REMOVED),
    Team.Status.LOCKED: (Team.Status.PENDING, Team.Status.ACTIVE),
    Team.Status.REMOVED: (Team.Status.PENDING, Team.Status.ACTIVE, Team.Status.LOCKED),
}
"""The states from which a team can enter each state."""


def approve_team(team: Team, user: User, reason: str = "") -> None:
    """Let a waiting team play."""
    if team.status != Team.Status.PENDING:
        raise Refused("no-change", _("This team does not wait for approval."))
    _set_status(team, user, Team.Status.ACTIVE, reason)


def lock_team(team: Team, user: User, reason: str) -> None:
    """The team keeps its results and its pages, but hands nothing in and changes nothing."""
    require_reason(reason)
    _set_status(team, user, Team.Status.LOCKED, reason)


def unlock_team(team: Team, user: User, reason: str) -> None:
    require_reason(reason)
    if team.status != Team.Status.LOCKED:
        raise Refused("no-change", _("This team is not locked."))
    _set_status(team, user, Team.Status.ACTIVE, reason)


def remove_team(team: Team, user: User, reason: str) -> None:
    """Take a team off the boards. Its entries are kept; whom its attacks found stays found."""
    require_reason(reason)
    _set_status(team, user, Team.Status.REMOVED, reason)


def restore_team(team: Team, user: User, reason: str) -> None:
    """Let a removed team play again as if it had never been removed; its attacks are resumed one by one."""
    require_reason(reason)
    if team.status != Team.Status.REMOVED:
        raise Refused("no-change", _("This team is not removed."))
    _set_status(team, user, Team.Status.ACTIVE, reason)


def _set_status(team: Team, user: User, status: Team.Status, reason: str) -> None:
    _require_people(team)
    seen = team.status
    if seen == status:
        raise Refused("no-change", _("This team is in that state already."))
    with transaction.atomic():
        changes: dict[str, Any] = {"status": status, "status_reason": reason}
        mine = Team.objects.filter(pk=team.pk, status=seen, merged_into=None)
        if seen not in MAY_BECOME[status] or not mine.update(**changes):
            raise Refused("changed-meanwhile", _("Somebody else has changed this team; look at it again."))
        audit.record(
            f"team.{status.value}",
            team,
            contest=team.contest,
            actor=user,
            before={"status": seen},
            after={"status": status.value},
            reason=reason,
        )
        if status == Team.Status.ACTIVE:
            seat_teams(team.contest)
        if Team.Status.REMOVED in {seen, status}:
            team.refresh_from_db()
            _count_boards_again(team, user, reason)
    team.refresh_from_db()


def _count_boards_again(team: Team, user: User, reason: str) -> None:
    touched = stop_attacks_of(team, user) if team.status == Team.Status.REMOVED else {}
    played = set(Entry.objects.filter(team=team).values_list("round", flat=True))
    for round_ in Round.objects.filter(pk__in=played | set(touched)).select_related("contest").order_by("pk"):
        lock_entries(round_.pk)
        settle_entries(round_.pk, touched.get(round_.pk, ()))
        if round_.pk in played:
            choose_again(round_, team)
            count_again(round_, timezone.now(), reason)


def merge_teams(source: Team, target: Team, user: User, reason: str) -> None:
    """Bring the people of one team into another, under the caps on members and attempts.

    The first team leaves the boards; what it has used of its attempts counts for the second from then on, so
    that two teams together get no more attempts than one.
    """
    require_reason(reason)
    if source.pk == target.pk or source.contest_id != target.contest_id:
        raise Refused("not-two-teams", _("Choose two different teams of this contest."))
    for team in (source, target):
        _require_people(team)
    with transaction.atomic():
        lock_teams(source.contest_id)
        two = Team.objects.filter(pk__in=[source.pk, target.pk])
        if two.filter(status=Team.Status.REMOVED).exists():
            raise Refused("team-removed", _("A removed team cannot be merged."))
        _require_room(source, target)
        _require_attempts(source, target)
        moved = list(Membership.objects.filter(team=source).values_list("user__username", flat=True))
        Membership.objects.filter(team=source).update(team=target, role=Membership.Role.MEMBER)
        Question.objects.filter(team=source).update(team=target)
        Invitation.objects.filter(team=source, revoked_at=None).update(revoked_at=timezone.now())
        Team.objects.filter(merged_into=source).update(merged_into=target)
        Team.objects.filter(pk=source.pk).update(
            status=Team.Status.REMOVED, status_reason=reason, merged_into=target
        )
        audit.record(
            "team.merged",
            source,
            contest=source.contest,
            actor=user,
            before={"status": source.status, "members": sorted(moved)},
            after={"status": Team.Status.REMOVED.value, "into": target.name, "into_id": target.pk},
            reason=reason,
        )
        source.refresh_from_db()
        _count_boards_again(source, user, reason)


def _require_people(team: Team) -> None:
    if team.is_house:
        raise Refused("house-team", _("This is a team of the house; void its entries instead."))


def _require_room(source: Team, target: Team) -> None:
    members = Membership.objects.filter(team__in=[source, target]).count()
    cap = target.contest.max_team_size
    if members > cap:
        raise Refused(
            "team-full",
            _("Together they have %(members)s members; a team has at most %(cap)s.")
            % {"members": members, "cap": cap},
        )


def _require_attempts(source: Team, target: Team) -> None:
    for round_ in Round.objects.filter(contest=target.contest_id).select_related("contest"):
        used = sum(count_attempts(round_, team).used_in_total for team in (source, target))
        if used > round_.entries_in_total:
            raise Refused(
                "too-many-attempts",
                _("Together they have used %(used)s attempts in %(round)s; a team has %(cap)s.")
                % {"used": used, "round": round_.name, "cap": round_.entries_in_total},
            )
