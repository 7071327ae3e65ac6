"""What people do with their own team: rename it, leave it, hand it over, compare what they sent."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from contest.errors import Refused
from contest.models import AuditEvent, Entry, Membership, Team, User
from contest.services.team_life import hand_over, leave_team, rename_team
from contest.services.teams import create_invitation, join_team
from contest.services.tokens import create_token
from tests.factories import as_zip, entry_files, make_entry, make_round, make_team, make_user, work_off

pytestmark = pytest.mark.django_db


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def member(team: Team, user: User) -> Membership:
    return Membership.objects.select_related("team__contest", "user").get(team=team, user=user)


def joined(team: Team, captain: User) -> User:
    from contest import access

    friend = make_user()
    join_team(access.invitation_for(create_invitation(team, captain)), friend)
    return friend


def test_the_captain_renames_the_team_and_everybody_can_read_it() -> None:
    round_ = make_round()
    neko = make_user()
    team = make_team(round_.contest, "Cats", neko)
    make_team(round_.contest, "Dogs")
    place = reverse("team_rename", args=[round_.contest.slug])
    browser(neko).post(place, {"name": "Tigers"})
    team.refresh_from_db()
    assert team.name == "Tigers"
    changes = Client().get(reverse("changes", args=[round_.contest.slug])).content.decode()
    assert "The team Cats is called Tigers now." in changes
    with pytest.raises(Refused) as taken:
        rename_team(team, neko, "D0gs".replace("0", "o"))
    assert taken.value.code == "name-taken"
    friend = joined(team, neko)
    assert browser(friend).post(place, {"name": "Lions"}).status_code == 404


def test_a_name_that_is_committed_stays() -> None:
    round_ = make_round()
    neko = make_user()
    team = make_team(round_.contest, "Cats", neko)
    make_entry(round_, team)
    rename_team(team, neko, "Tigers")
    type(round_).objects.filter(pk=round_.pk).update(frozen_at=timezone.now())
    with pytest.raises(Refused) as refusal:
        rename_team(team, neko, "Lions")
    assert refusal.value.code == "name-published"


def test_a_captain_leaves_and_the_first_to_have_joined_leads() -> None:
    round_ = make_round()
    neko = make_user()
    team = make_team(round_.contest, captain=neko)
    friend = joined(team, neko)
    client, place = browser(neko), reverse("team_leave", args=[round_.contest.slug])
    client.post(place)
    assert team.memberships.count() == 2
    assert client.post(place, {"sure": "1"}).status_code == 302
    assert member(team, friend).role == Membership.Role.CAPTAIN
    assert client.get(team.get_absolute_url()).status_code == 404
    assert AuditEvent.objects.filter(verb="team.left", actor=neko).count() == 1


def test_the_last_member_leaves_only_what_has_handed_in_nothing() -> None:
    round_ = make_round()
    neko, inu = make_user(), make_user()
    playing, idle = make_team(round_.contest, captain=neko), make_team(round_.contest, captain=inu)
    make_entry(round_, playing)
    with pytest.raises(Refused) as refusal:
        leave_team(member(playing, neko))
    assert refusal.value.code == "last-member"
    leave_team(member(idle, inu))
    idle.refresh_from_db()
    assert (idle.status, idle.memberships.count()) == (Team.Status.REMOVED, 0)


def test_the_lead_is_handed_over() -> None:
    round_ = make_round()
    neko = make_user()
    team = make_team(round_.contest, captain=neko)
    friend = joined(team, neko)
    heir = member(team, friend)
    place = reverse("team_captain", args=[round_.contest.slug, team.pk, heir.pk])
    assert browser(friend).post(place).status_code == 404
    assert browser(neko).post(place).status_code == 302
    assert (member(team, friend).role, member(team, neko).role) == ("captain", "member")
    with pytest.raises(Refused) as refusal:
        hand_over(team, neko, heir)
    assert refusal.value.code == "changed-meanwhile"


def test_an_invited_person_sees_team_and_contest_before_logging_in() -> None:
    round_ = make_round()
    neko = make_user()
    team = make_team(round_.contest, "Cats", neko)
    link = reverse("join", args=[create_invitation(team, neko)])
    page = Client().get(link).content.decode()
    assert "Join Cats?" in page and round_.contest.title in page
    assert f"{reverse('login')}?next={link}" in page
    answer = Client().post(link)
    assert answer.status_code == 302 and answer["Location"].startswith(reverse("login"))
    assert team.memberships.count() == 1
    assert Client().get(reverse("join", args=["wrong"])).status_code == 404


def test_a_team_compares_two_entries_and_gets_its_own_files_back() -> None:
    round_ = make_round()
    neko, inu = make_user(), make_user()
    team = make_team(round_.contest, captain=neko)
    make_team(round_.contest, captain=inu)
    first = make_entry(round_, team)
    make_entry(round_, team, entry_files("swap"))
    work_off()
    place = [round_.contest.slug, round_.slug]
    page = browser(neko).get(reverse("compare", args=place), {"a": "1", "b": "2"})
    changed = {file.name: file.changed_rows for file in page.context["files"]}
    assert sum(changed.values()) > 0
    assert {"Utility", "Total"} <= {row.name for row in page.context["numbers"]}
    assert browser(neko).get(reverse("compare", args=place), {"a": "1", "b": "9"}).status_code == 404
    upload = reverse("entry_upload", args=[*place, first.pk])
    answer = browser(neko).get(upload)
    assert b"".join(answer.streaming_content)[:2] == as_zip(entry_files())[:2]  # type: ignore[attr-defined]
    organiser = round_.contest.organisers.get().user
    assert {browser(user).get(upload).status_code for user in (inu, organiser)} == {404}
    room = browser(neko).get(team.get_absolute_url())
    (row,) = room.context["rounds"]
    assert [card.is_best for card in row["cards"]].count(True) == 1
    assert [card.place for card in row["cards"] if card.entry.is_official] == [1]
    assert Entry.objects.filter(is_official=True).count() == 1


def test_the_api_offers_what_the_page_has() -> None:
    round_ = make_round(which_counts="best")
    neko = make_user()
    team = make_team(round_.contest, captain=neko)
    friend = joined(team, neko)
    first, second = make_entry(round_, team), make_entry(round_, team, entry_files("swap"))
    work_off()
    caller = Caller(neko)
    contest = f"contests/{round_.contest.slug}/"
    place = f"{contest}rounds/{round_.slug}/"
    instead = caller.get(f"{place}entries/{second.pk}/")["counts_instead"]
    assert (instead["number"], instead["because"], instead["can_pin"]) == (1, "utility", True)
    compared = caller.get(f"{place}compare/?a=1&b=2")
    assert (compared["a"], compared["b"], compared["attacks_shown"]) == (1, 2, True)
    assert caller.status("get", f"{place}compare/?a=1&b=3") == 404
    assert caller.status("get", f"{place}entries/{first.pk}/upload.zip") == 200
    assert caller.status("post", f"{contest}team/name/", {"name": "Tigers"}) == 200
    heir = member(team, friend)
    assert caller.status("post", f"{contest}team/members/{heir.pk}/") == 200
    assert caller.status("post", f"{contest}team/members/{heir.pk}/") == 404
    assert caller.status("post", f"{contest}team/leave/") == 204
    team.refresh_from_db()
    assert (team.name, list(team.memberships.values_list("user", flat=True))) == ("Tigers", [friend.pk])


class Caller:
    """Somebody with a token for everything."""

    def __init__(self, user: User) -> None:
        secret = create_token(user, "test", ["read", "submit"], 30)
        self.headers = {"authorization": f"Bearer {secret}"}

    def status(self, method: str, path: str, data: dict[str, str] | None = None) -> int:
        send = getattr(Client(), method)
        body = {"data": data or {}, "content_type": "application/json"} if method == "post" else {}
        answer = send(f"/api/v1/{path}", headers=self.headers, **body)
        if answer.streaming:
            b"".join(answer.streaming_content)
        return int(answer.status_code)

    def get(self, path: str) -> Any:
        return Client().get(f"/api/v1/{path}", headers=self.headers).json()
