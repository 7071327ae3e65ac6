"""Tracks: which a contest may have, who chooses one when, and what is said of it."""

from __future__ import annotations

import pytest
from django.utils import timezone

from contest.errors import Refused
from contest.models import AuditEvent, Contest, Round, Team
from contest.names.tracks import MOST_TRACKS, clean_tracks, read_tracks
from contest.services.settings import change_contest
from contest.services.team_life import change_track
from contest.services.teams import create_team, house_team
from datasets.setting import BadPart
from tests.factories import make_contest, make_entry, make_round, make_team, make_user

pytestmark = pytest.mark.django_db(transaction=True)

TRACKS = "student | Students | 学生\npro | Professionals | 社会人"


def code_of(act, *args: object) -> str:
    with pytest.raises(Refused) as caught:
        act(*args)
    return caught.value.code


def test_lines_are_tidied_and_read_back() -> None:
    text = clean_tracks("\n student|Students|学生\r\n\r\n pro |  Professionals | 社会人 \n")
    assert text == TRACKS
    assert [(it.name, it.titled("en"), it.titled("ja")) for it in read_tracks(text)] == [
        ("student", "Students", "学生"),
        ("pro", "Professionals", "社会人"),
    ]
    assert clean_tracks(" \n") == ""
    assert read_tracks("") == ()


@pytest.mark.parametrize(
    "line",
    [
        "student",
        "student | Students",
        "student | Students | 学生 | more",
        "Student | Students | 学生",
        "stu dent | Students | 学生",
        "-student | Students | 学生",
        "student | | 学生",
        "student | Students\u202e | 学生",
        f"{'x' * 31} | Students | 学生",
        f"student | {'x' * 41} | 学生",
        "pro | Others | 他",
        "other | professionals | 他",
        "other | Others | 社会人",
    ],
)
def test_the_first_line_that_is_no_track_is_named(line: str) -> None:
    with pytest.raises(BadPart) as caught:
        clean_tracks(f"pro | Professionals | 社会人\n{line}\nbanana")
    assert caught.value.got == line


def test_there_are_only_so_many_tracks() -> None:
    lines = [f"t{number} | T{number} | 部{number}" for number in range(MOST_TRACKS + 1)]
    assert clean_tracks("\n".join(lines[:-1])).count("\n") == MOST_TRACKS - 1
    with pytest.raises(BadPart):
        clean_tracks("\n".join(lines))


def test_a_team_chooses_a_track_where_there_are_some_and_none_where_there_are_none() -> None:
    contest, plain = make_contest(tracks=TRACKS), make_contest()
    assert code_of(create_team, contest, make_user(), "Tanuki") == "track-missing"
    assert code_of(create_team, contest, make_user(), "Tanuki", "banana") == "no-such-track"
    assert code_of(create_team, plain, make_user(), "Tanuki", "student") == "no-such-track"
    assert not Team.objects.exists()
    assert create_team(contest, make_user(), "Tanuki", "student").track == "student"
    assert create_team(plain, make_user(), "Tanuki").track == ""


def test_the_captain_changes_the_track_until_the_team_is_published_and_organisers_always() -> None:
    oni, captain = make_user("oni"), make_user("tanuki")
    contest = make_contest(oni, tracks=TRACKS)
    round_ = make_round(contest)
    team = create_team(contest, captain, "Tanuki", "student")
    version = Round.objects.get().board_version
    change_track(team, captain, "pro")
    round_.refresh_from_db()
    assert (team.track, round_.board_version) == ("pro", version + 1)
    assert code_of(change_track, team, captain, "pro") == "no-change"
    assert code_of(change_track, team, captain, "") == "track-missing"
    make_entry(round_, team)
    Round.objects.update(frozen_at=timezone.now())
    assert code_of(change_track, team, captain, "student") == "track-published"
    assert code_of(change_track, team, oni, "student") == "no-reason"
    change_track(team, oni, "student", "They are students.")
    events = AuditEvent.objects.filter(verb="team.track_changed").order_by("pk")
    assert [(it.before["track"], it.after["track"], it.reason) for it in events] == [
        ("student", "pro", ""),
        ("pro", "student", "They are students."),
    ]


def test_the_house_is_in_no_track() -> None:
    oni = make_user("oni")
    contest = make_contest(oni, tracks=TRACKS)
    assert code_of(change_track, house_team(contest, "House · shuffle"), oni, "pro", "why") == "house-team"


def test_a_track_with_teams_stays_and_one_without_may_go() -> None:
    oni = make_user("oni")
    contest = make_contest(oni, tracks=TRACKS)
    create_team(contest, make_user(), "Tanuki", "student")

    def change(tracks: str) -> None:
        change_contest(contest, oni, contest.settings_version, {"tracks": tracks}, "other tracks")

    assert code_of(change, "pro | Professionals | 社会人") == "track-in-use"
    assert Contest.objects.get().tracks == TRACKS
    change("student | Pupils and students | 児童・生徒・学生")
    assert [track.title for track in contest.declared_tracks] == ["Pupils and students"]


def test_teams_of_before_choose_a_track_when_there_are_some() -> None:
    oni, captain = make_user("oni"), make_user("tanuki")
    contest = make_contest(oni)
    team = make_team(contest, "Tanuki", captain)
    change_contest(contest, oni, contest.settings_version, {"tracks": TRACKS}, "two tracks")
    change_track(team, captain, "pro")
    assert Team.objects.get().track == "pro"
