"""What people do with their own team: give it another name or track, leave it, let somebody else lead it."""

from __future__ import annotations

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from contest.errors import Refused
from contest.models import Attack, Entry, Membership, Round, Team, User
from contest.names.lookalikes import normalise_name
from contest.names.policy import TEAM
from contest.names.validation import clean_name
from contest.records import audit
from contest.records.locks import lock_contest, lock_person, lock_team
from contest.services.board_versions import bump_board
from contest.services.entry_marks import require_reason
from contest.services.leaving import leave, parting_of
from contest.services.registration import require_registration
from contest.services.teams import chosen_track, require_open_to_people


def rename_team(team: Team, user: User, name: str) -> None:
    """Give a team another name, until its name is part of what is published for good."""
    name = clean_name(name, TEAM)
    try:
        with transaction.atomic():
            before = lock_team(team.pk)
            require_open_to_people(team)
            if name == before.name:
                raise Refused("no-change", _("The team has this name already."))
            _require_name_is_free_to_change(team)
            audit.record(
                "team.renamed",
                team,
                contest=team.contest,
                actor=user,
                before={"name": before.name},
                after={"name": name},
            )
            # The board of a game lists teams without an entry, too.
            for round_id in team.contest.rounds.order_by("pk").values_list("pk", flat=True):
                bump_board(round_id)
            Team.objects.filter(pk=team.pk).update(name=name, name_key=normalise_name(name))
    except IntegrityError:
        raise Refused(
            "name-taken", _("A team of this contest has this name already, or one that looks like it.")
        ) from None
    team.refresh_from_db()


def _require_name_is_free_to_change(team: Team) -> None:
    if _is_published(team):
        text = _("The name stays: a round that names your team is frozen, or your team has attacked others.")
        raise Refused("name-published", text)


def _is_published(team: Team) -> bool:
    """Frozen entries are committed with the names of their teams, and attacks are reported by them. Boards of
    games name all teams."""
    entries = Entry.objects.filter(team=team, round__frozen_at__isnull=False)
    of_games = Round.objects.filter(contest=team.contest_id, game__isnull=False, frozen_at__isnull=False)
    attacks = Attack.objects.filter(team=team, is_dry_run=False)
    return entries.exists() or of_games.exists() or attacks.exists()


def change_track(team: Team, user: User, track: str, reason: str = "") -> None:
    """Put a team into another track: its captain until what it has done is frozen, or nobody could tell who
    wins a track; organisers always, saying why."""
    with transaction.atomic():
        before = lock_team(team.pk)
        contest = lock_contest(team.contest_id)
        if before.is_house:
            raise Refused("house-team", _("The house is in no track."))
        if Membership.objects.filter(team=team, user=user, role=Membership.Role.CAPTAIN).exists():
            require_open_to_people(team)
            require_registration(contest.pk)
            _require_track_is_free_to_change(team)
        else:
            require_reason(reason)
        track = chosen_track(contest, track)
        if track == before.track:
            raise Refused("no-change", _("The team is in this track already."))
        audit.record(
            "team.track_changed",
            team,
            contest=contest,
            actor=user,
            before={"track": before.track},
            after={"name": before.name, "track": track},
            reason=reason,
        )
        Team.objects.filter(pk=team.pk).update(track=track)
        for round_id in contest.rounds.order_by("pk").values_list("pk", flat=True):
            bump_board(round_id)
    team.refresh_from_db()


def _require_track_is_free_to_change(team: Team) -> None:
    if _is_published(team):
        text = _(
            "The track stays: a round that names your team is frozen, or your team has attacked others. "
            "Organisers can change it."
        )
        raise Refused("track-published", text)


def leave_team(membership: Membership) -> None:
    """Leave one's team. The last member stays while the team has handed something in: results need somebody
    who answers for them, and organisers can remove the team. An empty team ends with its last member."""
    team, user = membership.team, membership.user
    with transaction.atomic():
        lock_team(team.pk)
        lock_person(user.pk)
        require_open_to_people(team)
        require_registration(team.contest_id)
        rows = Membership.objects.filter(team=team)
        row = rows.filter(pk=membership.pk).select_related("team", "contest", "user").first()
        if row is None:
            raise Refused("changed-meanwhile", _("You are no longer in this team."))
        is_last = not rows.exclude(pk=row.pk).exists()
        if is_last and (
            Entry.objects.filter(team=team).exists() or Attack.objects.filter(team=team).exists()
        ):
            text = _(
                "You are the last member, and the team has handed in something. Ask the organisers to remove "
                "the team."
            )
            raise Refused("last-member", text)
        audit.record("team.left", team, contest=row.contest, actor=user, before={"role": row.role})
        leave(parting_of(row))
        if is_last:
            _end(team, user)


def _end(team: Team, user: User) -> None:
    reason = "Its last member left."
    Team.objects.filter(pk=team.pk).update(status=Team.Status.REMOVED, status_reason=reason)
    audit.record(
        "team.removed",
        team,
        contest=team.contest,
        actor=user,
        before={"status": team.status},
        after={"status": Team.Status.REMOVED.value},
        reason=reason,
    )


def hand_over(team: Team, user: User, heir: Membership) -> None:
    """Let another member lead the team; who led it stays as a member."""
    with transaction.atomic():
        lock_team(team.pk)
        require_open_to_people(team)
        rows = Membership.objects.filter(team=team)
        if heir.user_id == user.pk:
            raise Refused("no-change", _("You lead the team already."))
        leads = rows.filter(user=user, role=Membership.Role.CAPTAIN)
        if not leads.exists() or not rows.filter(pk=heir.pk).update(role=Membership.Role.CAPTAIN):
            raise Refused("changed-meanwhile", _("The members of the team have changed; look at it again."))
        leads.update(role=Membership.Role.MEMBER)
        audit.record(
            "team.handed_over",
            team,
            contest=team.contest,
            actor=user,
            before={"captain": user.username},
            after={"captain": heir.user.username},
        )
