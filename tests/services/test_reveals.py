"""A reveal, place by place: fixed when it begins, moved by organisers, and public only as far as it is."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import Http404

from contest import access
from contest.errors import Refused
from contest.models import AuditEvent, Commitment, Phase, Round
from contest.services.entry_marks import void_entry
from contest.services.phases import reopen_phase
from contest.services.reveals import act_on_reveal, end_reveal, move_reveal, start_reveal
from contest.services.settings import change_round
from tests.reveal_rounds import HOUR, SINCE, Frozen, let_results_begin, make_frozen

pytestmark = pytest.mark.django_db


@pytest.fixture
def waiting() -> Frozen:
    """A round whose results are counted and wait for their reveal."""
    frozen = make_frozen(reveal_in_steps=True)
    let_results_begin(frozen)
    frozen.judge(SINCE)
    return frozen


def known(round_: Round) -> list[tuple[int, str, int | None]]:
    places = access.revealed_places(access.reveal_of(round_))
    return [(row["place"], row["name"], row["frozen"]) for row in places]


def test_results_wait_for_their_reveal(waiting: Frozen) -> None:
    assert waiting.round.tallied_at is not None
    assert waiting.round.revealed_at is None
    assert waiting.round.still_since is not None
    assert not access.results_have_begun(waiting.round)
    assert not access.results_are_public(waiting.round)
    assert not access.results_are_revealed(waiting.contest)
    assert not Commitment.objects.filter(round=waiting.round, revealed_at__isnull=False).exists()


def test_before_it_begins_only_organisers_see_it(waiting: Frozen) -> None:
    visitor = AnonymousUser()
    assert access.sees_reveal(waiting.organiser, waiting.round)
    for user in (visitor, waiting.members["Tengu"]):
        with pytest.raises(Http404):
            access.revealed_round_for(user, "cup", "final")
    start_reveal(waiting.round, waiting.organiser)
    assert access.revealed_round_for(visitor, "cup", "final") == waiting.round
    assert known(waiting.round) == []


def test_places_are_revealed_from_the_last_one_upwards_with_how_they_moved(waiting: Frozen) -> None:
    start_reveal(waiting.round, waiting.organiser)
    move_reveal(waiting.round, waiting.organiser, 1, 0)
    assert known(waiting.round) == [(3, "Tanuki", 1)]
    move_reveal(waiting.round, waiting.organiser, 1, 1)
    assert known(waiting.round) == [(2, "Kitsune", 2), (3, "Tanuki", 1)]
    move_reveal(waiting.round, waiting.organiser, -1, 2)
    assert known(waiting.round) == [(3, "Tanuki", 1)]


def test_of_two_organisers_who_step_at_once_one_is_told(waiting: Frozen) -> None:
    start_reveal(waiting.round, waiting.organiser)
    move_reveal(waiting.round, waiting.organiser, 1, 0)
    with pytest.raises(Refused) as refusal:
        move_reveal(waiting.round, waiting.organiser, 1, 0)
    assert refusal.value.code == "changed-meanwhile"
    assert len(known(waiting.round)) == 1


def test_it_ends_at_both_ends(waiting: Frozen) -> None:
    start_reveal(waiting.round, waiting.organiser)
    with pytest.raises(Refused) as refusal:
        move_reveal(waiting.round, waiting.organiser, -1, 0)
    assert refusal.value.code == "no-more-places"
    for seen in range(3):
        act_on_reveal(waiting.round, waiting.organiser, "next", seen)
    with pytest.raises(Refused):
        act_on_reveal(waiting.round, waiting.organiser, "next", 3)
    assert not access.results_are_public(waiting.round)


def test_its_end_makes_everything_public_and_the_clock_opens_what_was_hashed(waiting: Frozen) -> None:
    start_reveal(waiting.round, waiting.organiser)
    version = waiting.round.board_version
    end_reveal(waiting.round, waiting.organiser)
    assert waiting.round.still_since is None
    assert waiting.round.board_version > version
    assert access.results_are_public(waiting.round)
    assert len(known(waiting.round)) == 3
    assert waiting.tick() == ["reveal"]
    assert access.results_are_revealed(waiting.contest)
    with pytest.raises(Refused) as refusal:
        start_reveal(waiting.round, waiting.organiser)
    assert refusal.value.code == "no-reveal"


def test_it_cannot_begin_before_the_results(waiting: Frozen) -> None:
    results = Phase.objects.filter(round=waiting.round, kind=Phase.Kind.RESULTS)
    results.update(starts_at=waiting.round.still_since + HOUR)
    with pytest.raises(Refused) as refusal:
        start_reveal(waiting.round, waiting.organiser)
    assert refusal.value.code == "not-yet"


def test_without_a_reveal_there_is_nothing_to_begin() -> None:
    frozen = make_frozen()
    with pytest.raises(Refused) as refusal:
        start_reveal(frozen.round, frozen.organiser)
    assert refusal.value.code == "no-reveal"


def test_a_correction_makes_it_begin_again(waiting: Frozen) -> None:
    start_reveal(waiting.round, waiting.organiser)
    void_entry(waiting.teams["Tengu"].entries.get(), waiting.organiser, "against the rules")
    with pytest.raises(Refused) as refusal:
        move_reveal(waiting.round, waiting.organiser, 1, 0)
    assert refusal.value.code == "not-counted"
    waiting.tick()
    waiting.judge({"Tanuki": 11, "Kitsune": 9})
    with pytest.raises(Refused) as refusal:
        move_reveal(waiting.round, waiting.organiser, 1, 0)
    assert refusal.value.code == "counted-again"
    start_reveal(waiting.round, waiting.organiser)
    move_reveal(waiting.round, waiting.organiser, 1, 0)
    assert known(waiting.round) == [(2, "Tanuki", 1)]


def test_a_reveal_that_is_not_wanted_any_more_makes_the_results_public(waiting: Frozen) -> None:
    change_round(waiting.round, waiting.organiser, 1, {"reveal_in_steps": False}, "no time")
    waiting.tick()
    assert waiting.round.still_since is None
    assert access.results_are_public(waiting.round)
    assert waiting.round.revealed_at is not None


def test_the_house_takes_no_place_in_it(waiting: Frozen) -> None:
    waiting.teams["Kitsune"].is_house = True
    waiting.teams["Kitsune"].save()
    start_reveal(waiting.round, waiting.organiser)
    reveal = access.reveal_of(waiting.round)
    assert reveal is not None
    assert [(row["place"], row["name"]) for row in reveal.places] == [(2, "Tanuki"), (1, "Tengu")]


def test_everything_is_in_the_log(waiting: Frozen) -> None:
    start_reveal(waiting.round, waiting.organiser)
    move_reveal(waiting.round, waiting.organiser, 1, 0)
    end_reveal(waiting.round, waiting.organiser)
    rows = AuditEvent.objects.filter(contest=waiting.contest, actor=waiting.organiser).order_by("pk")
    verbs = [row.verb for row in rows if row.verb.startswith("reveal.")]
    assert verbs == ["reveal.started", "reveal.moved", "reveal.ended"]


def test_a_phase_that_is_opened_again_takes_the_reveal_back(waiting: Frozen) -> None:
    start_reveal(waiting.round, waiting.organiser)
    results = Phase.objects.filter(round=waiting.round, kind=Phase.Kind.RESULTS)
    start = waiting.round.still_since + 2 * HOUR
    results.update(starts_at=start, ends_at=start + HOUR, opened_at=None)
    attack = Phase.objects.get(round=waiting.round, kind=Phase.Kind.ATTACK)
    reopen_phase(attack, waiting.organiser, waiting.round.still_since + HOUR, "one more hour")
    assert access.reveal_of(waiting.round) is None
