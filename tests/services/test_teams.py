"""Teams and invitations."""

from __future__ import annotations

import datetime
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.utils import timezone

from contest import access
from contest.errors import Refused
from contest.models import AuditEvent, Invitation, Membership, Team
from contest.services.accounts import sign_up
from contest.services.teams import create_invitation, create_team, join_team, revoke_invitation
from tests.factories import make_contest, make_team, make_user

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("name", ["Tanuki", " tanuki ", "TANUKI", "Ｔａｎｕｋｉ", "Tanuki\u3000"])
def test_names_that_look_alike_are_one_name(name: str) -> None:
    contest = make_contest()
    make_team(contest, "Tanuki")
    with pytest.raises(Refused) as caught:
        create_team(contest, make_user(), name)
    assert caught.value.code == "name-taken"


def test_user_names_that_look_alike_are_one_name() -> None:
    sign_up("admin", "a@example.org", "correct horse")
    with pytest.raises(Refused):
        sign_up(" Admin ", "b@example.org", "correct horse")


def test_a_person_is_in_one_team_of_a_contest() -> None:
    contest = make_contest()
    kitsune = make_user("kitsune")
    create_team(contest, kitsune, "One")
    with pytest.raises(Refused) as caught:
        create_team(contest, kitsune, "Two")
    assert caught.value.code == "already-in-team"
    assert Team.objects.count() == 1


def test_an_invitation_brings_a_person_into_the_team_and_is_kept_as_a_hash() -> None:
    contest = make_contest()
    captain = make_user("tanuki")
    team = make_team(contest, "Tanuki", captain)
    token = create_invitation(team, captain)
    invitation = access.invitation_for(token)
    assert token not in {invitation.token_sha256, str(invitation.pk)}
    neko = make_user("neko")
    join_team(invitation, neko)
    assert Membership.objects.get(user=neko).team == team
    assert AuditEvent.objects.filter(verb="team.joined", actor=neko).count() == 1


def test_a_revoked_or_old_invitation_does_not_work() -> None:
    captain = make_user()
    team = make_team(make_contest(), "Tanuki", captain)
    revoked = access.invitation_for(create_invitation(team, captain))
    revoke_invitation(revoked, captain)
    old = access.invitation_for(create_invitation(team, captain))
    Invitation.objects.filter(pk=old.pk).update(expires_at=timezone.now() - datetime.timedelta(seconds=1))
    for invitation in (revoked, old):
        with pytest.raises(Refused) as caught:
            join_team(invitation, make_user())
        assert caught.value.code == "invitation-expired"


def test_16_people_joining_at_once_do_not_overfill_a_team() -> None:
    contest = make_contest(max_team_size=4)
    captain = make_user()
    team = make_team(contest, "Tanuki", captain)
    token = create_invitation(team, captain)
    people = [make_user() for _ in range(16)]
    start = threading.Barrier(16)

    def join(number: int) -> str:
        try:
            start.wait()
            join_team(access.invitation_for(token), people[number])
        except Refused as refusal:
            return refusal.code
        finally:
            connection.close()
        return "joined"

    with ThreadPoolExecutor(16) as pool:
        outcomes = list(pool.map(join, range(16)))
    assert outcomes.count("joined") == 3
    assert outcomes.count("team-full") == 13
    assert team.memberships.count() == 4
