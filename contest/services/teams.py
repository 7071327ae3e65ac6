from __future__ import annotations

import datetime
import secrets

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from contest.board.tracks import require_track
from contest.errors import Refused
from contest.models import Contest, Invitation, Membership, Organiser, Team, User
from contest.names.lookalikes import normalise_name
from contest.names.policy import TEAM
from contest.names.validation import clean_name
from contest.records import audit
from contest.records.locks import lock_contest, lock_person, lock_team
from contest.services.confirmation import require_confirmed
from contest.services.registration import require_registration, size_refusal
from contest.services.seats import seat_teams
from contest.token_hashes import hash_token

INVITATION_DAYS = 14


def create_team(contest: Contest, user: User, name: str, track: str = "") -> Team:
    """Make a team with its founder as captain, in one of the tracks where the contest has some."""
    require_confirmed(user)
    name = clean_name(name, TEAM)
    try:
        with transaction.atomic():
            _require_player(contest, user)
            if Membership.objects.filter(contest=contest, user=user).exists():
                raise Refused("already-in-team", _("You are already in a team of this contest."))
            contest = lock_contest(contest.pk)
            require_registration(contest.pk)
            track = chosen_track(contest, track)
            status = Team.Status.PENDING if contest.approve_teams else Team.Status.ACTIVE
            team = Team.objects.create(
                contest=contest, name=name, name_key=normalise_name(name), status=status, track=track
            )
            Membership.objects.create(team=team, contest=contest, user=user, role=Membership.Role.CAPTAIN)
            seat_teams(contest)
            after = {"name": name} | ({"track": track} if track else {})
            audit.record("team.created", team, contest=contest, actor=user, after=after)
    except IntegrityError:
        raise Refused(
            "name-taken", _("A team of this contest has this name already, or one that looks like it.")
        ) from None
    return team


def chosen_track(contest: Contest, track: str) -> str:
    """The track of a team: one that the contest declares, and none only where it declares none."""
    if contest.tracks and not track:
        names = ", ".join(it.name for it in contest.declared_tracks)
        raise Refused("track-missing", _("Choose a track: one of %(names)s.") % {"names": names})
    return require_track(contest, track)


def house_team(contest: Contest, name: str) -> Team:
    """The team under which a house method plays."""
    team, _created = Team.objects.get_or_create(
        contest=contest, name_key=normalise_name(name), defaults={"name": name, "is_house": True}
    )
    if not team.is_house:
        raise Refused("name-taken", _("The name %(name)r belongs to a team of people.") % {"name": name})
    return team


def require_playing(team: Team) -> None:
    """Refuse what a team that waits, is locked, was removed or is too small may not do.

    Give it the row that `lock_team` returned: one that was read before the lock may be out of date.
    """
    _require_active(team)
    refusal = size_refusal(team)
    if refusal is not None:
        raise refusal


def _require_active(team: Team) -> None:
    status = team.status
    texts = {
        Team.Status.PENDING: _("Your team waits for the organisers’ approval."),
        Team.Status.LOCKED: _("Your team is locked by the organisers."),
        Team.Status.REMOVED: _("Your team was removed from this contest."),
    }
    if status != Team.Status.ACTIVE:
        raise Refused(f"team-{status}", texts[Team.Status(status)])


def create_invitation(team: Team, user: User) -> str:
    """Make an invitation and return its token, which is shown once and stored only as a hash."""
    token = secrets.token_urlsafe(24)
    with transaction.atomic():
        lock_team(team.pk)
        require_open_to_people(team)
        require_registration(team.contest_id)
        invitation = Invitation.objects.create(
            team=team,
            token_sha256=hash_token(token),
            created_by=user,
            expires_at=timezone.now() + datetime.timedelta(days=INVITATION_DAYS),
        )
        audit.record("invitation.created", invitation, contest=team.contest, actor=user)
    return token


def revoke_invitation(invitation: Invitation, user: User) -> None:
    with transaction.atomic():
        changed = Invitation.objects.filter(pk=invitation.pk, revoked_at=None).update(
            revoked_at=timezone.now()
        )
        if changed:
            audit.record("invitation.revoked", invitation, contest=invitation.team.contest, actor=user)


def join_team(invitation: Invitation, user: User) -> Team:
    """Join by invitation; the team's size limit holds also when several join at once."""
    require_confirmed(user)
    team = invitation.team
    try:
        with transaction.atomic():
            lock_team(team.pk)
            require_open_to_people(team)
            contest = require_registration(team.contest_id)
            invitation.refresh_from_db()
            _require_player(team.contest, user)
            # Former members must not come back, or send others, by a link of their own.
            is_of_member = Membership.objects.filter(team=team, user=invitation.created_by_id).exists()
            if not (invitation.is_usable and is_of_member):
                raise Refused("invitation-expired", _("This invitation has expired or was withdrawn."))
            if Membership.objects.filter(team=team).count() >= contest.max_team_size:
                raise Refused(
                    "team-full",
                    _("A team has at most %(max_team_size)s members.")
                    % {"max_team_size": contest.max_team_size},
                )
            Membership.objects.create(team=team, contest=team.contest, user=user)
            audit.record("team.joined", team, contest=team.contest, actor=user)
    except IntegrityError:
        raise Refused("already-in-team", _("You are already in a team of this contest.")) from None
    return team


def _require_player(contest: Contest, user: User) -> None:
    """Organisers know too much to play in their contest. The lock prevents becoming both at once."""
    lock_person(user.pk)
    if Organiser.objects.filter(contest=contest, user=user).exists():
        raise Refused("organises", _("You organise this contest and cannot play in it."))


def require_open_to_people(team: Team) -> None:
    """A team that waits may gather its people; a locked or removed one may not. Lock it before."""
    now = Team.objects.get(pk=team.pk)
    if now.status != Team.Status.PENDING:
        _require_active(now)
