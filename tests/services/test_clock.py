"""Phases run themselves: in order, once, also after a standstill and with two sweepers."""

from __future__ import annotations

import datetime
import hashlib
import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from contest import access
from contest.board import queries
from contest.errors import Refused
from contest.files import vault
from contest.models import AttackRun, AuditEvent, Commitment, Entry, Phase, Round, Sealed, Team, User
from contest.models.round import Feedback
from contest.services.commitments import verify_commitment
from contest.services.entries import pin_entry
from contest.services.phase_clock import run_clock
from contest.services.phases import close_phase, extend_phase, reopen_phase
from tests.factories import entry_files, make_contest, make_entry, make_round, make_team, make_user, work_off

pytestmark = pytest.mark.django_db

HOUR = datetime.timedelta(hours=1)
IN_ORDER = [
    "open anonymise", "commit", "close anonymise", "freeze", "open handover", "close handover", "open attack",
    "close attack", "tally", "open results", "reveal", "close results",
]  # fmt: skip


@pytest.fixture
def start() -> datetime.datetime:
    return timezone.now() - HOUR


@pytest.fixture
def round_(start: datetime.datetime) -> Round:
    """Anonymise until +2 h, hand-over until +3 h, attack until +5 h, results until +9 h."""
    kinds = (Phase.Kind.ANONYMISE, Phase.Kind.HANDOVER, Phase.Kind.ATTACK, Phase.Kind.RESULTS)
    hours = (0, 2, 3, 5, 9)
    phases = [
        (kind, start + first * HOUR, start + last * HOUR)
        for kind, first, last in zip(kinds, hours[:-1], hours[1:], strict=True)
    ]
    contest = make_contest(make_user("oni"))
    return make_round(contest, phases=phases, feedback=Feedback.NONE, seed=77)


@pytest.fixture
def tanuki(round_: Round) -> Team:
    return make_team(round_.contest, "Tanuki", make_user("tanuki"))


def steps(now: datetime.datetime) -> list[str]:
    return [step.what for step in run_clock(now)]


def organiser() -> User:
    return User.objects.get(name_key="oni")


def test_each_boundary_is_passed_once_and_in_order(
    round_: Round, tanuki: Team, start: datetime.datetime
) -> None:
    entry = make_entry(round_, tanuki)
    work_off()
    assert steps(start - HOUR) == []
    assert steps(start + HOUR) == ["open anonymise", "commit"]
    assert steps(start + HOUR) == []
    assert not access.targets_are_public(Round.objects.get())
    assert steps(start + 2 * HOUR) == ["close anonymise", "freeze", "open handover"]
    assert access.targets_are_public(Round.objects.get())
    assert steps(start + 3 * HOUR) == ["close handover", "open attack"]
    assert steps(start + 5 * HOUR) == ["close attack", "tally", "open results", "reveal"]
    assert steps(start + 9 * HOUR) == ["close results"]
    assert steps(start + 90 * HOUR) == []
    entry.refresh_from_db()
    assert entry.frozen_at == start + 2 * HOUR
    verbs = AuditEvent.objects.filter(verb__startswith="phase.").order_by("pk").values_list("verb", flat=True)
    assert list(verbs) == ["phase.opened", "phase.closed"] * 4


def test_after_a_standstill_everything_is_caught_up_in_order(
    round_: Round, tanuki: Team, start: datetime.datetime
) -> None:
    make_entry(round_, tanuki)
    work_off()
    assert steps(start + 50 * HOUR) == IN_ORDER
    assert steps(start + 50 * HOUR) == []


@pytest.mark.django_db(transaction=True)
def test_two_sweepers_do_every_step_once(round_: Round, tanuki: Team, start: datetime.datetime) -> None:
    make_entry(round_, tanuki)
    work_off()
    ready = threading.Barrier(4)

    def sweep(_: int) -> list[str]:
        try:
            ready.wait()
            return steps(start + 50 * HOUR)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        done = [step for part in pool.map(sweep, range(4)) for step in part]
    assert sorted(done) == sorted(IN_ORDER)
    assert Commitment.objects.count() == 3
    verbs = AuditEvent.objects.filter(verb__in=["round.freeze", "round.tally", "round.reveal"])
    assert list(verbs.order_by("pk").values_list("verb", flat=True)) == [
        "round.freeze", "round.tally", "round.reveal"
    ]  # fmt: skip


def test_what_was_handed_in_in_time_is_waited_for(
    round_: Round, tanuki: Team, start: datetime.datetime
) -> None:
    entry = make_entry(round_, tanuki)
    assert steps(start + 3 * HOUR) == ["open anonymise", "commit", "close anonymise", "open handover",
                                       "close handover"]  # fmt: skip
    assert Phase.objects.get(kind=Phase.Kind.ATTACK).opened_at is None
    work_off()
    assert steps(start + 3 * HOUR) == ["freeze", "open attack"]
    entry.refresh_from_db()
    assert entry.frozen_at is not None


def test_the_results_wait_for_the_last_attack(round_: Round, tanuki: Team, start: datetime.datetime) -> None:
    make_entry(round_, tanuki)
    work_off()
    run_clock(start + 4 * HOUR)
    AttackRun.objects.update(state=AttackRun.State.RUNNING)
    assert steps(start + 6 * HOUR) == ["close attack"]
    AttackRun.objects.update(state=AttackRun.State.DONE)
    assert steps(start + 6 * HOUR) == ["tally", "open results", "reveal"]


def test_after_the_freeze_the_choice_is_fixed(round_: Round, tanuki: Team, start: datetime.datetime) -> None:
    first = make_entry(round_, tanuki)
    make_entry(round_, tanuki, entry_files("shuffle", 2))
    work_off()
    run_clock(start + 2 * HOUR)
    with pytest.raises(Refused) as caught:
        pin_entry(first, tanuki.memberships.get().user)
    assert caught.value.code == "frozen"
    assert Entry.objects.get(is_official=True).number == 2


def test_a_commitment_is_secret_first_and_verifies_later(
    round_: Round, tanuki: Team, start: datetime.datetime
) -> None:
    make_entry(round_, tanuki)
    work_off()
    run_clock(start + 3 * HOUR)
    entries = Commitment.objects.get(what="entries")
    with pytest.raises(Refused) as caught:
        verify_commitment(entries)
    assert caught.value.code == "not-revealed"
    run_clock(start + 6 * HOUR)
    for commitment in Commitment.objects.all():
        # Anybody can do this with the published text and any sha256 program.
        assert hashlib.sha256(commitment.payload.encode()).hexdigest() == commitment.sha256
        assert verify_commitment(commitment).ok, commitment.what
    assert json.loads(Commitment.objects.get(what="seed").payload)["facts"] == [{"seed": 77}]
    fact = json.loads(entries.payload)["facts"][0]
    entry = Entry.objects.get()
    assert set(entry.published) == {"M.csv", "T.csv"}
    assert fact == {"team": "Tanuki", "entry": entry.number, "slot": "", "published": entry.published,
                    "sealed": {"truth.txt": vault.truth_name(entry)}}  # fmt: skip
    (place,) = json.loads(Commitment.objects.get(what="board").payload)["facts"]
    assert (place["risk"], place["numbers"]) == (entry.risk, entry.numbers)


def test_a_change_behind_the_commitment_is_found(
    round_: Round, tanuki: Team, start: datetime.datetime
) -> None:
    make_entry(round_, tanuki)
    work_off()
    run_clock(start + 6 * HOUR)
    Sealed.objects.update(sha256=Entry.objects.get().published["M.csv"])
    Round.objects.update(seed=78)
    Entry.objects.update(numbers={"hits": 0}, utility=99.0)
    for commitment in Commitment.objects.select_related("round"):
        assert not verify_commitment(commitment).ok, commitment.what
    Commitment.objects.filter(what="seed").update(payload="{}")
    forged = Commitment.objects.get(what="seed")
    Commitment.objects.filter(pk=forged.pk).update(withdrawn_at=timezone.now())
    assert not verify_commitment(Commitment.objects.get(pk=forged.pk)).ok


def test_an_open_phase_is_extended_and_the_later_ones_move_with_it(
    round_: Round, start: datetime.datetime
) -> None:
    phase = Phase.objects.get(kind=Phase.Kind.ANONYMISE)
    with pytest.raises(Refused) as caught:
        extend_phase(phase, organiser(), start + 4 * HOUR, "the network was down")
    assert caught.value.code == "phases-overlap"
    extend_phase(phase, organiser(), start + 4 * HOUR, "the network was down", move_later=True)
    hours = [(phase.ends_at - start) // HOUR for phase in Phase.objects.order_by("starts_at")]
    assert hours == [4, 5, 7, 11]
    assert steps(start + 3 * HOUR) == ["open anonymise", "commit"]


def test_extending_what_the_clock_has_just_closed_is_refused(round_: Round, start: datetime.datetime) -> None:
    seen = Phase.objects.get(kind=Phase.Kind.ANONYMISE)
    run_clock(start + 2 * HOUR)
    with pytest.raises(Refused) as caught:
        extend_phase(seen, organiser(), start + 2.5 * HOUR, "too late")
    assert caught.value.code == "changed-meanwhile"
    fresh = Phase.objects.get(pk=seen.pk)
    with pytest.raises(Refused) as caught:
        extend_phase(fresh, organiser(), start + 2.5 * HOUR, "too late")
    assert caught.value.code == "phase-closed"


def test_a_reopened_phase_thaws_the_entries_and_is_closed_again(
    round_: Round, tanuki: Team, start: datetime.datetime
) -> None:
    make_entry(round_, tanuki)
    work_off()
    run_clock(start + 2 * HOUR)
    phase = Phase.objects.get(kind=Phase.Kind.ANONYMISE)
    reopen_phase(phase, organiser(), start + 4 * HOUR, "our outage", move_later=True, now=start + 2.5 * HOUR)
    assert Entry.objects.get().frozen_at is None
    assert not access.targets_are_public(Round.objects.get())
    assert steps(start + 3 * HOUR) == []
    assert steps(start + 4 * HOUR) == ["close anonymise", "freeze", "open handover"]
    kept = Commitment.objects.filter(what="entries").order_by("version")
    assert [(old.version, old.withdrawn_at is None) for old in kept] == [(1, False), (2, True)]


def test_a_phase_cannot_go_on_under_an_open_attack(round_: Round, start: datetime.datetime) -> None:
    run_clock(start + 3 * HOUR)
    phase = Phase.objects.get(kind=Phase.Kind.ANONYMISE)
    with pytest.raises(Refused) as caught:
        reopen_phase(phase, organiser(), start + 8 * HOUR, "please", now=start + 3 * HOUR)
    assert caught.value.code == "next-phase-open"


def test_closing_now_lets_the_clock_go_on(round_: Round, start: datetime.datetime) -> None:
    phase = Phase.objects.get(kind=Phase.Kind.ANONYMISE)
    close_phase(phase, organiser(), "all teams are ready", now=start + HOUR)
    assert steps(start + HOUR) == ["open anonymise", "commit", "close anonymise", "freeze"]


def test_a_practice_hides_and_seeks_together(start: datetime.datetime) -> None:
    phases = [
        (Phase.Kind.ANONYMISE, start, start + 4 * HOUR),
        (Phase.Kind.ATTACK, start, start + 4 * HOUR),
        (Phase.Kind.RESULTS, start + 4 * HOUR, start + 5 * HOUR),
    ]
    make_round(phases=phases)
    assert steps(start + HOUR) == ["open anonymise", "commit", "open attack"]
    assert steps(start + 4 * HOUR) == [
        "close anonymise", "freeze", "close attack", "tally", "open results", "reveal"
    ]  # fmt: skip


def test_the_sweeper_runs_the_clock(round_: Round) -> None:
    call_command("sweep", "--once")
    assert Phase.objects.get(kind=Phase.Kind.ANONYMISE).opened_at is not None
    assert Phase.objects.get(kind=Phase.Kind.ATTACK).opened_at is None


def test_the_overall_board_weighs_the_rounds_whose_results_are_out(start: datetime.datetime) -> None:
    contest = make_contest(make_user("oni"))
    phases = [(Phase.Kind.ANONYMISE, start, start + 9 * HOUR)]
    first = make_round(contest, slug="preliminary", weight=0.1, position=1, phases=phases, ranking="2024")
    final = make_round(contest, slug="final", weight=0.9, position=2, phases=phases, ranking="2024")
    secret = make_round(contest, slug="secret", position=3, phases=phases, feedback=Feedback.NONE)
    both, late = make_team(contest, "Tanuki"), make_team(contest, "Kitsune")
    for round_, team in ((first, both), (final, both), (final, late), (secret, late)):
        make_entry(round_, team)
    work_off()
    rounds, rows = queries.overall_board(contest)
    assert rounds == [first, final]
    totals = {place.result.key: place.total for place, _ in queries.places(final, show_attacks=True)}
    # The same files were handed in everywhere, so that all totals are one number.
    (total,) = set(totals.values())
    assert total is not None
    found = {row.team.name: (row.total, row.totals) for row in rows}
    assert found["Tanuki"] == (pytest.approx(total), (total, total))
    assert found["Kitsune"] == (pytest.approx(0.9 * total), (None, total))
