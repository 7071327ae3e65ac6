"""Taking somebody out of a team: who may, when, and what ends with it."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from contest import access
from contest.errors import Refused
from contest.models import ApiToken, AuditEvent, Invitation, Mail, Membership, Team, User
from contest.services import team_status
from contest.services.leaving import remove_member
from contest.services.teams import create_invitation, create_team, join_team
from contest.services.tokens import create_token
from tests.api.conftest import SCOPES, Caller
from tests.factories import make_contest, make_team, make_user

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def team() -> Team:
    """Tanuki leads; Neko and Usagi joined. Oni organises."""
    contest = make_contest(make_user("oni"), slug="demo")
    captain = make_user("tanuki")
    team = make_team(contest, "Tanuki", captain)
    for name in ("neko", "usagi"):
        join_team(access.invitation_for(create_invitation(team, captain)), make_user(name))
    return team


def person(name: str) -> User:
    return User.objects.get(username=name)


def membership(name: str) -> Membership:
    return Membership.objects.select_related("team__contest", "user").get(user=person(name))


def people(team: Team) -> dict[str, str]:
    return dict(team.memberships.order_by("pk").values_list("user__username", "role"))


def browser(name: str) -> Client:
    client = Client()
    client.force_login(person(name))
    return client


def page(team: Team) -> str:
    return reverse("team", args=["demo", team.pk])


def removal(team: Team, name: str) -> str:
    return reverse("remove_member", args=["demo", team.pk, membership(name).pk])


def test_the_captain_takes_a_member_out_and_what_they_made_for_the_team_ends(team: Team) -> None:
    neko = person("neko")
    link = create_invitation(team, neko)
    of_team, of_neko = (
        create_token(neko, name, ["submit"], 7, team=it) for name, it in (("a", team), ("b", None))
    )
    shown = browser("tanuki").get(page(team)).content.decode()
    assert removal(team, "neko") in shown and removal(team, "tanuki") not in shown
    answer = browser("tanuki").post(removal(team, "neko"), follow=True)
    assert "neko is no longer in the team." in answer.content.decode()
    assert people(team) == {"tanuki": "captain", "usagi": "member"}
    event = AuditEvent.objects.get(verb="team.member_removed")
    assert (event.actor, event.before) == (person("tanuki"), {"member": "neko", "role": "member"})
    assert Invitation.objects.get(pk=access.invitation_for(link).pk).revoked_at is not None
    assert list(ApiToken.objects.filter(revoked_at=None).values_list("name", flat=True)) == ["b"]
    assert Caller(of_team).get("me/").status_code == 401 and Caller(of_neko).get("me/").status_code == 200
    assert browser("neko").get(page(team)).status_code == 404
    assert create_team(team.contest, neko, "Neko").name == "Neko"


def test_nobody_else_takes_members_out(team: Team) -> None:
    other = make_team(team.contest, "Kitsune", make_user("kitsune"))
    other_contest = make_contest(make_user("tengu"), slug="other")
    target = removal(team, "usagi")
    for name in ("neko", "usagi", "kitsune", "tengu"):
        assert browser(name).post(target, {"reason": "x"}).status_code == 404
    assert target not in browser("neko").get(page(team)).content.decode()
    # A captain names a member of another team under the own one, an organiser under another contest.
    key = membership("usagi").pk
    assert browser("kitsune").post(reverse("remove_member", args=["demo", other.pk, key])).status_code == 404
    foreign = reverse("remove_member", args=[other_contest.slug, team.pk, key])
    assert browser("tengu").post(foreign, {"reason": "x"}).status_code == 404
    assert Client().post(target).status_code == 302
    assert len(people(team)) == 3 and not AuditEvent.objects.filter(verb="team.member_removed").exists()


def test_nobody_takes_out_themselves_and_nobody_twice(team: Team) -> None:
    answer = browser("tanuki").post(removal(team, "tanuki"), follow=True)
    assert "You cannot remove yourself" in answer.content.decode()
    seen = membership("neko")
    remove_member(seen, person("tanuki"))
    with pytest.raises(Refused, match="no longer in the team"):
        remove_member(seen, person("tanuki"))
    assert AuditEvent.objects.filter(verb="team.member_removed").count() == 1


@pytest.mark.parametrize(
    ("status", "may"), [("pending", True), ("active", True), ("locked", False), ("removed", False)]
)
def test_a_captain_may_as_long_as_people_may_join(team: Team, status: str, may: bool) -> None:
    Team.objects.filter(pk=team.pk).update(status=status)
    browser("tanuki").post(removal(team, "neko"))
    assert ("neko" not in people(team)) is may


def test_organisers_may_always_but_say_why(team: Team) -> None:
    team_status.lock_team(team, person("oni"), "two accounts of one person")
    oni = browser("oni")
    assert 'name="reason"' in oni.get(page(team)).content.decode()
    assert "Reason" in oni.post(removal(team, "neko"), follow=True).content.decode()
    with pytest.raises(Refused):
        remove_member(membership("neko"), person("oni"))
    assert len(people(team)) == 3
    oni.post(removal(team, "neko"), {"reason": "plays twice"})
    assert AuditEvent.objects.get(verb="team.member_removed").reason == "plays twice"
    assert people(team) == {"tanuki": "captain", "usagi": "member"}


def test_a_team_whose_captain_is_taken_out_gets_the_next_and_keeps_its_last_member(team: Team) -> None:
    oni = person("oni")
    remove_member(membership("tanuki"), oni, "asked us to")
    assert people(team) == {"neko": "captain", "usagi": "member"}
    assert Mail.objects.get(kind=Mail.Kind.CAPTAIN).user == person("neko")
    remove_member(membership("neko"), oni, "asked us to")
    with pytest.raises(Refused) as refused:
        remove_member(membership("usagi"), oni, "asked us to")
    assert refused.value.code == "last-member"
    assert people(team) == {"usagi": "captain"}
    assert "remove/" not in browser("oni").get(page(team)).content.decode()


def test_the_api_does_the_same(team: Team) -> None:
    callers: dict[str, Any] = {
        name: Caller(create_token(person(name), name, SCOPES, 7)) for name in ("oni", "tanuki", "neko")
    }
    members = {
        row["name"]: row["id"] for row in callers["tanuki"].get("contests/demo/team/").json()["members"]
    }
    assert callers["neko"].delete(f"contests/demo/team/members/{members['usagi']}/").status_code == 404
    assert callers["oni"].delete(f"contests/demo/team/members/{members['usagi']}/").status_code == 404
    own = callers["tanuki"].delete(f"contests/demo/team/members/{members['tanuki']}/")
    assert (own.status_code, own.json()["error"]["code"]) == (409, "own-membership")
    assert callers["tanuki"].delete(f"contests/demo/team/members/{members['usagi']}/").status_code == 204
    (listed,) = callers["oni"].get("contests/demo/teams/").json()["results"]
    assert [row["name"] for row in listed["members"]] == ["tanuki", "neko"]
    act = f"contests/demo/teams/{team.pk}/members/{members['neko']}/remove/"
    assert callers["tanuki"].send(act, {"reason": "x"}).status_code == 404
    assert list(callers["oni"].send(act).json()["error"]["detail"]) == ["reason"]
    left = callers["oni"].send(act, {"reason": "asked us to"}).json()["members"]
    assert [(row["name"], row["role"]) for row in left] == [("tanuki", "captain")]
    verbs = AuditEvent.objects.filter(verb="team.member_removed").order_by("pk")
    assert [(event.actor_id, event.reason) for event in verbs] == [
        (person("tanuki").pk, ""), (person("oni").pk, "asked us to")
    ]  # fmt: skip


def test_the_page_says_it_in_japanese(team: Team) -> None:
    client = browser("tanuki")
    client.cookies["django_language"] = "ja"
    assert "チームから外す" in client.get(page(team)).content.decode()
