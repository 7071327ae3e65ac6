"""Boards that stand still: stopped by the clock at the moment that is named, released with the results."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser
from django.utils import timezone

from contest import access
from contest.board.board_cache import board_of, shows_attacks
from contest.board.overall import public_overall, whole_overall
from contest.board.two_orders import both_orders
from contest.errors import Refused
from contest.models import AuditEvent, Notification, Round, Standing, StillBoard
from contest.services.board_versions import bump_board
from contest.services.settings import change_round
from contest.services.standings_history import record_standing
from tests.reveal_rounds import BEFORE, HOUR, NAMES, SINCE, Frozen, let_results_begin, make_frozen

pytestmark = pytest.mark.django_db


@pytest.fixture
def frozen() -> Frozen:
    return make_frozen()


def shown(round_: Round) -> dict[str, int | None]:
    return {row.team_name: row.hits for row in board_of(round_, shows_attacks(round_)).rows}


def order(round_: Round) -> list[str]:
    return [row.team_name for row in board_of(round_, shows_attacks(round_)).rows]


def test_the_board_stays_as_it_was_when_it_stopped(frozen: Frozen) -> None:
    assert frozen.round.still_since is not None
    assert shown(frozen.round) == BEFORE
    frozen.judge(SINCE)
    frozen.round.refresh_from_db()
    assert shown(frozen.round) == BEFORE
    assert order(frozen.round) == list(NAMES)


def test_its_public_version_stays_while_that_of_organisers_moves(frozen: Frozen) -> None:
    version, full = frozen.round.board_version, frozen.round.full_version
    frozen.judge(SINCE)
    bump_board(frozen.round.pk)
    frozen.round.refresh_from_db()
    assert frozen.round.board_version == version
    assert frozen.round.full_version == full + 2
    assert access.public_board_version("cup", "final") == version
    assert access.matrix_version(AnonymousUser(), frozen.round) == str(version)
    assert access.matrix_version(frozen.organiser, frozen.round) == f"full-{full + 2}"


def test_a_round_that_was_read_before_the_board_stopped_shows_nothing_that_came_after(frozen: Frozen) -> None:
    """A process may remember the round as it was for half a second."""
    remembered = Round.objects.select_related("contest").get(pk=frozen.round.pk)
    remembered.still_since = None
    frozen.judge(SINCE)
    assert shown(remembered) == BEFORE


def test_organisers_have_both_orders(frozen: Frozen) -> None:
    frozen.judge(SINCE)
    orders = both_orders(frozen.round)
    assert [row.name for row in orders.frozen] == list(NAMES)
    assert [row.name for row in orders.true] == ["Tengu", "Kitsune", "Tanuki"]


def test_the_overall_result_counts_the_board_that_stands_still(frozen: Frozen) -> None:
    before = [(line.team, line.total) for line in public_overall(frozen.contest).lines]
    frozen.judge(SINCE)
    assert [(line.team, line.total) for line in public_overall(frozen.contest).lines] == before
    assert whole_overall(frozen.contest).lines[0].team == "Tengu"


def test_history_ends_when_the_board_stopped_and_nobody_is_told_of_lost_places(frozen: Frozen) -> None:
    (last,) = Standing.objects.filter(round=frozen.round)
    assert last.at == frozen.round.still_since
    assert [place["rank"] for place in last.places] == [1, 2, 3]
    frozen.judge(SINCE)
    assert record_standing(frozen.round) == 1
    assert not Notification.objects.filter(kind=Notification.Kind.OVERTAKEN).exists()
    visitor = AnonymousUser()
    assert access.sees_board_history(visitor, frozen.round)
    assert access.history_ends_at(visitor, frozen.round) == frozen.round.still_since
    assert access.history_ends_at(frozen.organiser, frozen.round) is None


def test_with_the_results_the_board_goes_on(frozen: Frozen) -> None:
    frozen.judge(SINCE)
    version = frozen.round.board_version
    let_results_begin(frozen)
    assert frozen.round.still_since is None
    assert frozen.round.revealed_at is not None
    assert frozen.round.board_version > version
    assert not StillBoard.objects.exists()
    verbs = AuditEvent.objects.filter(contest=frozen.contest, verb__startswith="board.").order_by("pk")
    assert list(verbs.values_list("verb", flat=True)) == ["board.stopped", "board.released"]


def test_it_stays_still_when_the_results_are_due_but_not_counted(frozen: Frozen) -> None:
    Round.objects.filter(pk=frozen.round.pk).update(tallied_at=None)
    phases = frozen.round.phases.filter(kind="results")
    phases.update(starts_at=timezone.now() - HOUR / 4)
    frozen.tick()
    assert frozen.round.still_since is not None
    assert not access.results_have_begun(frozen.round)
    assert not access.results_are_public(frozen.round)


def test_a_moment_that_is_taken_back_lets_the_board_go_on(frozen: Frozen) -> None:
    frozen.judge(SINCE)
    change_round(frozen.round, frozen.organiser, 1, {"board_frozen_at": None}, "a mistake")
    assert frozen.tick() == ["release board"]
    assert shown(frozen.round) == SINCE


def test_a_moment_to_come_stops_nothing_yet() -> None:
    frozen = make_frozen(board_frozen_at=timezone.now() + HOUR / 2)
    assert frozen.round.still_since is None
    frozen.judge(SINCE)
    frozen.round.refresh_from_db()
    assert shown(frozen.round) == SINCE


def test_a_moment_outside_the_phases_is_refused_with_what_is_expected(frozen: Frozen) -> None:
    for moment in (timezone.now() - 10 * HOUR, timezone.now() + 2 * HOUR):
        with pytest.raises(Refused) as refusal:
            change_round(frozen.round, frozen.organiser, 1, {"board_frozen_at": moment}, "why not")
        assert refusal.value.code == "freeze-outside"
        assert "within the phases" in refusal.value.text


def test_results_that_are_public_cannot_be_hidden_again_by_a_reveal(frozen: Frozen) -> None:
    let_results_begin(frozen)
    with pytest.raises(Refused) as refusal:
        change_round(frozen.round, frozen.organiser, 1, {"reveal_in_steps": True}, "why not")
    assert refusal.value.code == "published"


def test_a_round_that_hides_attacks_stops_with_what_everybody_sees() -> None:
    frozen = make_frozen(
        feedback="none",
        phases=[
            ("anonymise", timezone.now() - 9 * HOUR, timezone.now() + HOUR),
            ("results", timezone.now() + HOUR, timezone.now() + 9 * HOUR),
        ],
    )
    assert set(shown(frozen.round).values()) == {None}
    assert not access.sees_board_history(AnonymousUser(), frozen.round)
    assert public_overall(frozen.contest).rounds == []
