"""A game that fails to count its boards holds the results back, in the open, until it counts them."""

from __future__ import annotations

import os
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from contest.models import Entry, Job, Phase, Round, Seat, StoredBoard, User
from contest.services.board_versions import AGAIN_AFTER, sweep_tallies
from contest.services.phase_clock import run_clock
from contest.services.tallies import counting_fault
from contest.services.team_status import merge_teams
from tests.factories import make_entry, make_team, work_off
from tests.game_rounds import DAY, TOYS, game_contest, make_game_round, method_files, sources_of

pytestmark = [pytest.mark.django_db, pytest.mark.once]


@pytest.fixture(autouse=True)
def _toys_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAKURENBO_GAMES", os.pathsep.join(map(str, TOYS.values())))


def entered_round() -> Round:
    """Two teams have handed in; seeking is over tomorrow."""
    contest, package = game_contest(TOYS["pair"])
    teams = [make_team(contest, name) for name in ("Aki", "Haru")]
    round_ = make_game_round(contest, package, sources_of(TOYS["pair"]))
    for team in teams:
        make_entry(round_, team, method_files(round_, team))
    work_off()
    assert Entry.objects.filter(round=round_, state=Entry.State.VALID).count() == 2
    return round_


def broken(*_given: Any, **_more: Any) -> Any:
    raise RuntimeError("the tally divides by nothing")


def organiser_of(round_: Round) -> User:
    return round_.contest.organisers.select_related("user").get().user


def games_page(client: Client, round_: Round) -> str:
    client.force_login(organiser_of(round_))
    return client.get(reverse("organise_games", args=[round_.contest.slug])).content.decode()


@pytest.mark.parametrize("was_counted", [False, True], ids=["never counted", "counted before"])
def test_the_results_wait_with_a_word_and_go_on_once_the_game_is_mended(
    was_counted: bool, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    round_ = entered_round()
    if not was_counted:
        StoredBoard.objects.filter(round=round_).delete()
    over = timezone.now() + 1.5 * DAY
    with monkeypatch.context() as patch:
        patch.setattr("contest.work.tally.counted_boards", broken)
        for _ in range(3):
            run_clock(over)
            work_off()
        round_.refresh_from_db()
        assert (round_.tallied_at, round_.revealed_at) == (None, None)
        fault = counting_fault(round_)
        assert fault is not None
        assert sweep_tallies() == 0, "it is left alone for a while"
        page = games_page(client, round_)
        assert "Practice: the game fails to count the boards." in page
        assert "the tally divides by nothing" in page
        client.force_login(round_.contest.teams.get(name="Aki").memberships.get().user)
        shown = client.get(round_.get_absolute_url())
        assert shown.status_code == 200
        assert "divides by nothing" not in shown.content.decode(), "the log is for organisers alone"
    failed = Job.objects.filter(round=round_, kind=Job.Kind.TALLY, state=Job.State.FAILED)
    failed.update(finished_at=timezone.now() - AGAIN_AFTER)
    assert sweep_tallies() == 1
    work_off()
    assert counting_fault(round_) is None
    while run_clock(over):
        work_off()
    round_.refresh_from_db()
    assert round_.revealed_at is not None
    assert StoredBoard.objects.filter(round=round_, view=StoredBoard.View.FINAL).exists()
    assert "fails to count" not in games_page(client, round_)


def status_of(answer: Any) -> int:
    """The status of an answer; a file is read to its end, which closes it."""
    if answer.streaming:
        list(answer.streaming_content)
    return int(answer.status_code)


def test_a_merged_team_leaves_its_seat_and_its_people_read_the_other_one(client: Client) -> None:
    round_ = entered_round()
    aki, haru = (round_.contest.teams.get(name=name) for name in ("Aki", "Haru"))
    mover = aki.memberships.get().user
    old, new = (Seat.objects.get(round=round_, team=team) for team in (aki, haru))
    merge_teams(aki, haru, organiser_of(round_), "they asked for it")
    late = make_team(round_.contest, "Natsu")
    work_off()
    client.force_login(mover)
    place = [round_.contest.slug, round_.slug]
    names = list(new.sealed.values_list("name", flat=True))
    answers = {
        seat.number: {
            status_of(client.get(reverse("seat_download", args=[*place, seat.number, name])))
            for name in names
        }
        for seat in (old, new)
    }
    assert answers[old.number] == {404}
    assert 200 in answers[new.number]
    old.refresh_from_db()
    assert old.team == aki, "nobody else gets data that somebody has read"
    assert Seat.objects.get(round=round_, team=late).number not in (old.number, new.number)
    Phase.objects.filter(round=round_).update(starts_at=timezone.now() - 2 * DAY)
    while run_clock(timezone.now() + 1.5 * DAY):
        work_off()
    final = StoredBoard.objects.filter(round=round_, view=StoredBoard.View.FINAL)
    assert final.exists()
    assert not [row for board in final for row in board.rows if row["key"] == "Aki"]
