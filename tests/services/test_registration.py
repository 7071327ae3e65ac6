"""Registration that opens and closes, and teams that are too small to hand in: at every door alike."""

from __future__ import annotations

import datetime
from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from contest import access
from contest.errors import Refused
from contest.models import AuditEvent, Contest, Entry, Membership, Team, User
from contest.pages.calendar import calendar
from contest.services.account_deletion import delete_account
from contest.services.leaving import remove_member
from contest.services.settings import change_contest
from contest.services.team_life import change_track, hand_over, leave_team
from contest.services.team_status import merge_teams
from contest.services.teams import create_invitation, create_team, join_team
from contest.services.tokens import create_token
from tests.factories import make_contest, make_entry, make_round, make_team, make_user
from tests.services.test_tracks import TRACKS, code_of

pytestmark = pytest.mark.django_db(transaction=True)

HOUR = datetime.timedelta(hours=1)
Times = tuple[datetime.timedelta | None, datetime.timedelta | None]
BEFORE: Times = (HOUR, 2 * HOUR)
OPEN: Times = (-HOUR, HOUR)
AFTER: Times = (-2 * HOUR, -HOUR)


def set_times(contest: Contest, times: Times) -> None:
    opens, closes = (None if it is None else timezone.now() + it for it in times)
    Contest.objects.filter(pk=contest.pk).update(registration_opens=opens, registration_closes=closes)


def pair(contest: Contest) -> tuple[User, User, Team]:
    """A team of two: its captain and somebody who joined."""
    captain, neko = make_user("tanuki"), make_user("neko")
    team = create_team(contest, captain, "Tanuki", "student" if contest.tracks else "")
    join_team(access.invitation_for(create_invitation(team, captain)), neko)
    return captain, neko, team


@pytest.mark.parametrize(
    ("times", "code"),
    [
        (BEFORE, "registration-not-open"),
        (AFTER, "registration-closed"),
        ((None, -HOUR), "registration-closed"),
    ],
)
def test_outside_of_its_times_nobody_comes_or_goes_but_by_organisers(times: Times, code: str) -> None:
    oni = make_user("oni")
    contest = make_contest(oni, tracks=TRACKS)
    captain, neko, team = pair(contest)
    other = create_team(contest, make_user("kappa"), "Kappa", "pro")
    token = create_invitation(team, captain)
    member = Membership.objects.get(user=neko)
    set_times(contest, times)
    acts: list[Callable[[], object]] = [
        lambda: create_team(contest, make_user(), "Kitsune", "pro"),
        lambda: create_invitation(team, captain),
        lambda: join_team(access.invitation_for(token), make_user()),
        lambda: leave_team(member),
        lambda: remove_member(member, captain),
        lambda: change_track(team, captain, "pro"),
    ]
    assert [code_of(act) for act in acts] == [code] * len(acts)
    assert Membership.objects.count() == 3
    # What changes nobody's team stays possible, and organisers may do all.
    hand_over(team, captain, member)
    change_track(team, oni, "pro", "a mistake")
    remove_member(Membership.objects.get(user=captain), oni, "asked by mail")
    merge_teams(other, team, oni, "asked by mail")
    assert set(Membership.objects.values_list("user__username", flat=True)) == {"neko", "kappa"}


@pytest.mark.parametrize("times", [OPEN, (None, HOUR), (-HOUR, None), (None, None)])
def test_within_its_times_people_come_and_go(times: Times) -> None:
    contest = make_contest()
    set_times(contest, times)
    _captain, neko, _team = pair(contest)
    leave_team(Membership.objects.get(user=neko))
    assert Membership.objects.count() == 1


def test_an_account_can_be_deleted_after_registration_has_closed() -> None:
    contest = make_contest()
    _captain, neko, _team = pair(contest)
    set_times(contest, AFTER)
    delete_account(neko)
    assert Membership.objects.count() == 1


def test_pages_and_api_say_the_same_with_the_time_in_the_zone_of_the_contest(client: Client) -> None:
    contest = make_contest(time_zone="Asia/Tokyo")
    captain, neko, team = pair(contest)
    moment = datetime.datetime(2025, 3, 1, 3, 0, tzinfo=datetime.UTC)
    Contest.objects.update(registration_closes=moment)
    # Three o'clock UTC is noon in Tokyo.
    said = "Registration closed on 2025-03-01 12:00 (Asia/Tokyo): teams stay as they are."
    assert said in client.get(contest.get_absolute_url()).content.decode()
    assert "Take part" not in client.get(contest.get_absolute_url()).content.decode()
    kitsune = make_user("kitsune")
    client.force_login(kitsune)
    new = f"{contest.get_absolute_url()}teams/new/"
    assert said in client.get(new).content.decode()
    refused = client.post(new, {"name": "Kitsune"})
    assert refused.status_code == 422 and refused.content.decode().count(said) == 2
    secret = create_token(kitsune, "api", ["read", "submit"], 30)
    answer = client.post(
        f"/api/v1/contests/{contest.slug}/team/",
        {"name": "Kitsune"},
        content_type="application/json",
        headers={"authorization": f"Bearer {secret}"},
    )
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "registration-closed")
    assert answer.json()["error"]["message"].startswith(said)
    assert client.get(f"/api/v1/contests/{contest.slug}/").json()["registration"] == "after"
    client.force_login(captain)
    page = client.get(team.get_absolute_url()).content.decode()
    assert said in page
    assert "Make an invitation link" not in page and "Leave the team" not in page
    assert client.post(f"{contest.get_absolute_url()}teams/invite/", follow=True).status_code == 200
    japanese = client.get(contest.get_absolute_url(), headers={"accept-language": "ja"}).content.decode()
    assert "参加登録は 2025-03-01 12:00（Asia/Tokyo）に締め切られました。" in japanese
    assert Membership.objects.filter(user=neko).exists()


def test_the_calendar_file_holds_the_registration() -> None:
    contest = make_contest()
    assert b"registration-" not in calendar(contest, [], "https://example.org{}".format)
    contest.registration_opens = datetime.datetime(2027, 5, 1, 1, tzinfo=datetime.UTC)
    contest.registration_closes = datetime.datetime(2027, 6, 1, 1, tzinfo=datetime.UTC)
    text = calendar(contest, [], "https://example.org{}".format).decode()
    assert "DTSTART:20270501T010000Z" in text and "DTEND:20270601T010000Z" in text


def test_times_and_sizes_fit_each_other_whoever_sets_them() -> None:
    oni = make_user("oni")
    contest = make_contest(oni)
    now = timezone.now()
    reverse = {"registration_opens": now, "registration_closes": now - HOUR}
    sizes = {"min_team_size": 11}

    def change(given: dict[str, object]) -> None:
        change_contest(contest, oni, contest.settings_version, given, "why not")

    assert [code_of(change, given) for given in (reverse, sizes)] == ["registration-order", "team-sizes"]
    for given, code in ((reverse, "registration-order"), (sizes, "team-sizes")):
        with pytest.raises(Refused) as caught:
            make_contest(**given)
        assert caught.value.code == code
    change({"registration_opens": now, "registration_closes": now + HOUR})
    event = AuditEvent.objects.get(verb="contest.changed")
    assert datetime.datetime.fromisoformat(event.after["registration_opens"]) == now
    change({"registration_closes": None})
    assert Contest.objects.get().registration_closes is None


def test_a_team_that_is_too_small_hands_nothing_in_and_is_told(client: Client) -> None:
    contest = make_contest(min_team_size=2)
    round_ = make_round(contest)
    captain = make_user("tanuki")
    team = make_team(contest, "Tanuki", captain)
    assert code_of(lambda: make_entry(round_, team)) == "team-too-small"
    client.force_login(captain)
    said = "Your team has 1 member and needs 2: until then it hands nothing in."
    assert said in client.get(team.get_absolute_url()).content.decode()
    join_team(access.invitation_for(create_invitation(team, captain)), make_user("neko"))
    assert said not in client.get(team.get_absolute_url()).content.decode()
    make_entry(round_, team)
    assert Entry.objects.count() == 1
