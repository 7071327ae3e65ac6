"""Teams in the hands of organisers: who may play, who counts, and what two teams are together."""

from __future__ import annotations

import pytest

from contest.board import queries
from contest.errors import Refused
from contest.models import AuditEvent, Contest, Entry, Round, Team, User
from contest.services import team_status
from contest.services.attempts import count_attempts
from contest.services.entries import pin_entry
from contest.services.team_attacks import submit_guesses
from contest.services.teams import create_invitation, join_team
from tests.factories import entry_files, make_contest, make_entry, make_round, make_team, make_user, work_off

pytestmark = pytest.mark.django_db


@pytest.fixture
def round_() -> Round:
    return make_round(make_contest(make_user("oni"), max_team_size=3), entries_in_total=3)


@pytest.fixture
def tanuki(round_: Round) -> Team:
    return make_team(round_.contest, "Tanuki", make_user("tanuki"))


def oni() -> User:
    return User.objects.get(name_key="oni")


def code_of(act: object, *args: object) -> str:
    with pytest.raises(Refused) as caught:
        act(*args)  # type: ignore[operator]
    return caught.value.code


def on_board(round_: Round) -> set[str]:
    return {entry.team.name for _, entry in queries.places(round_, show_attacks=True)}


def test_where_teams_are_approved_a_new_one_waits(round_: Round) -> None:
    Contest.objects.update(approve_teams=True)
    team = make_team(Contest.objects.get(), "Neko", make_user("neko"))
    assert team.status == Team.Status.PENDING
    assert code_of(make_entry, round_, team) == "team-pending"
    assert create_invitation(team, team.memberships.get().user)
    team_status.approve_team(team, oni())
    make_entry(round_, team)
    assert code_of(team_status.approve_team, team, oni()) == "no-change"


def test_a_locked_team_keeps_its_place_and_does_nothing(round_: Round, tanuki: Team) -> None:
    entry = make_entry(round_, tanuki)
    work_off()
    captain = tanuki.memberships.get().user
    token = create_invitation(tanuki, captain)
    team_status.lock_team(tanuki, oni(), "two accounts")
    assert on_board(round_) == {"Tanuki"}
    assert code_of(make_entry, round_, tanuki) == "team-locked"
    assert code_of(pin_entry, entry, captain) == "team-locked"
    assert code_of(submit_guesses, round_, tanuki, captain, {}) == "team-locked"
    assert code_of(create_invitation, tanuki, captain) == "team-locked"
    assert token
    assert code_of(join_team, tanuki.invitations.get(), make_user("late")) == "team-locked"
    team_status.unlock_team(tanuki, oni(), "it was one person")
    make_entry(round_, tanuki)


def test_a_removed_team_leaves_the_board_and_comes_back(round_: Round, tanuki: Team) -> None:
    make_entry(round_, tanuki)
    late = make_entry(round_, tanuki, entry_files("shuffle", 2))
    work_off()
    before = Round.objects.get().board_version
    team_status.remove_team(tanuki, oni(), "asked to leave")
    assert on_board(round_) == set()
    assert Round.objects.get().board_version > before
    assert Entry.objects.count() == 2
    assert code_of(make_entry, round_, tanuki) == "team-removed"
    # A score that comes in later does not bring it back.
    Entry.objects.filter(pk=late.pk).update(is_official=False)
    team_status.restore_team(tanuki, oni(), "stays after all")
    assert on_board(round_) == {"Tanuki"}
    verbs = AuditEvent.objects.filter(verb__in=["team.removed", "team.active"]).order_by("pk")
    assert [event.reason for event in verbs] == ["asked to leave", "stays after all"]


def test_a_score_that_comes_in_after_the_removal_does_not_count(round_: Round, tanuki: Team) -> None:
    make_entry(round_, tanuki)
    team_status.remove_team(tanuki, oni(), "asked to leave")
    work_off()
    entry = Entry.objects.get()
    assert (entry.state, entry.is_official) == ("valid", False)


def test_merged_teams_have_the_attempts_of_one(round_: Round, tanuki: Team) -> None:
    kitsune = make_team(round_.contest, "Kitsune", make_user("kitsune"))
    make_entry(round_, tanuki)
    make_entry(round_, kitsune, entry_files("shuffle", 2))
    work_off()
    team_status.merge_teams(tanuki, kitsune, oni(), "they asked for it")
    assert on_board(round_) == {"Kitsune"}
    assert sorted(kitsune.memberships.values_list("user__username", "role")) == [
        ("kitsune", "captain"), ("tanuki", "member")
    ]  # fmt: skip
    assert count_attempts(round_, kitsune).used_in_total == 2
    make_entry(round_, kitsune)
    assert code_of(make_entry, round_, kitsune) == "attempts-used-up"
    assert code_of(team_status.restore_team, tanuki, oni(), "back") == "changed-meanwhile"
    event = AuditEvent.objects.get(verb="team.merged")
    assert (event.before["members"], event.after["into"]) == (["tanuki"], "Kitsune")


def test_a_merger_over_a_cap_is_refused(round_: Round, tanuki: Team) -> None:
    kitsune = make_team(round_.contest, "Kitsune")
    for seed in (1, 2):
        make_entry(round_, tanuki, entry_files("shuffle", seed))
        make_entry(round_, kitsune, entry_files("swap", seed))
    assert code_of(team_status.merge_teams, tanuki, kitsune, oni(), "x") == "too-many-attempts"
    Round.objects.update(entries_in_total=4)
    Contest.objects.update(max_team_size=1)
    tanuki, kitsune = Team.objects.get(pk=tanuki.pk), Team.objects.get(pk=kitsune.pk)
    assert code_of(team_status.merge_teams, tanuki, kitsune, oni(), "x") == "team-full"
    assert code_of(team_status.merge_teams, tanuki, tanuki, oni(), "x") == "not-two-teams"
    assert code_of(team_status.merge_teams, tanuki, kitsune, oni(), " ") == "no-reason"
    assert not AuditEvent.objects.filter(verb="team.merged").exists()


def test_two_organisers_at_one_team_do_not_overwrite_each_other(tanuki: Team) -> None:
    first, second = (Team.objects.get(pk=tanuki.pk) for _ in range(2))
    team_status.lock_team(first, oni(), "two accounts")
    assert code_of(team_status.remove_team, second, oni(), "a request") == "changed-meanwhile"
    assert Team.objects.get(pk=tanuki.pk).status_reason == "two accounts"
