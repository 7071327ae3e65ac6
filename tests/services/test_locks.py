"""Acts that lock the same rows, many times at once: all of them end, none in a deadlock."""

from __future__ import annotations

import datetime
import itertools
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction
from django.utils import timezone

from contest.errors import Refused
from contest.jobs import queue
from contest.models import Attack, AttackRun, Contest, Entry, Job, Phase, Rescore, Round, User
from contest.models.round import Feedback
from contest.records.audit import extend_all_chains, verify_chain
from contest.services import attacks, entries, entry_marks, limit_changes, phases, settings, team_status
from scoring.rules import Limit
from tests.factories import LIMITS, entry_files, make_contest, make_entry, make_round, make_team, work_off

pytestmark = pytest.mark.django_db(transaction=True)

HOUR = datetime.timedelta(hours=1)
TURNS = 12
Act = Callable[[int], object]


@pytest.fixture
def round_() -> Round:
    """Three teams with two valid, attacked entries each."""
    now = timezone.now()
    spans = [(Phase.Kind.ANONYMISE, now - HOUR, now + HOUR), (Phase.Kind.ATTACK, now + HOUR, now + 2 * HOUR)]
    made = make_round(make_contest(), phases=spans, feedback=Feedback.NONE)
    for name in ("Tanuki", "Kitsune", "Kappa"):
        team = make_team(made.contest, name)
        make_entry(made, team, entry_files("swap", 9))
        make_entry(made, team, entry_files("shuffle", 10))
    work_off()
    assert Entry.objects.filter(round=made, state="valid").count() == 6
    return made


def storm(*acts: Act) -> None:
    """Every act again and again in a thread of its own. A refusal is an answer; any other error fails."""
    ready = threading.Barrier(len(acts))

    def repeat(act: Act) -> None:
        try:
            ready.wait(60)
            for turn in range(TURNS):
                try:
                    act(turn)
                except Refused:
                    continue
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        for done in [pool.submit(repeat, act) for act in acts]:
            done.result(300)


def organiser(round_: Round) -> User:
    return round_.contest.organisers.select_related("user").get().user


def fresh_entries(round_: Round) -> list[Entry]:
    related = Entry.objects.select_related("team", "round__contest")
    return list(related.filter(round=round_).order_by("-pk"))


def rescore(round_: Round) -> Act:
    """Limits that make the swapped entries invalid, and the old ones again."""
    value = Entry.objects.filter(round=round_, number=1)[0].measures["ut-jaccard"]
    strict = [Limit("ut-jaccard", "<=", value / 2), *LIMITS[1:]]

    def act(turn: int) -> None:
        for left in Rescore.objects.filter(state="ready"):
            limit_changes.discard_rescore(left, organiser(round_))
        limits = strict if turn % 2 == 0 else list(LIMITS)
        fresh = Round.objects.get(pk=round_.pk)
        limit_changes.apply_rescore(
            limit_changes.preview_rescore(fresh, organiser(round_), limits, "again"), organiser(round_)
        )

    return act


def judge(round_: Round) -> Act:
    """What workers do: a run and its job come to their end, the entry gets its risk, the board a version."""
    keys = itertools.cycle(Entry.objects.filter(round=round_).order_by("-pk").values_list("pk", flat=True))

    def act(turn: int) -> None:
        for key in itertools.islice(keys, 6):
            claim = queue.claim_next(Job.Kind.ATTACK)
            if claim is None:
                with transaction.atomic():
                    attacks.settle_entry(key)
            else:
                run = AttackRun.objects.select_related("entry__round__contest").get(
                    pk=claim.job.attack_run_id
                )
                attacks.begin_run(run)
                attacks.refuse_run(claim, run, "no guess")

    return act


def run_again(round_: Round) -> Act:
    def act(turn: int) -> None:
        runs = AttackRun.objects.filter(entry__round=round_).select_related("attack", "entry__round__contest")
        attacks.rerun(list(runs.order_by("-pk")), organiser(round_), "again")

    return act


def stop_and_resume(round_: Round) -> Act:
    def act(turn: int) -> None:
        attack = Attack.objects.select_related("round__contest").get(round=round_)
        attacks.set_attack_active(attack, organiser(round_), turn % 2 == 1)

    return act


def pin(round_: Round) -> Act:
    def act(turn: int) -> None:
        entry = fresh_entries(round_)[turn % 6]
        entries.pin_entry(entry, organiser(round_))

    return act


def mark(round_: Round) -> Act:
    def act(turn: int) -> None:
        entry = fresh_entries(round_)[turn // 2 % 6]
        change = entry_marks.unvoid_entry if entry.mark else entry_marks.void_entry
        change(entry, organiser(round_), "our fault")

    return act


def remove_and_restore(round_: Round) -> Act:
    def act(turn: int) -> None:
        team = fresh_entries(round_)[0].team
        change = team_status.restore_team if team.status == "removed" else team_status.remove_team
        change(team, organiser(round_), "asked to leave")

    return act


def save_settings(round_: Round) -> Act:
    def act(turn: int) -> None:
        contest = Contest.objects.get(pk=round_.contest_id)
        given = {"slug": f"moved-{turn}"}
        settings.change_contest(contest, organiser(round_), contest.settings_version, given, "a new name")
        fresh = Round.objects.select_related("contest", "dataset").get(pk=round_.pk)
        given = {"slug": f"moved-{turn}", "ranking": fresh.ranking}
        settings.change_round(fresh, organiser(round_), fresh.settings_version, given, "a new name")

    return act


def extend(round_: Round) -> Act:
    def act(turn: int) -> None:
        for phase in Phase.objects.filter(round=round_).select_related("round__contest").order_by("-pk"):
            later = phase.ends_at + datetime.timedelta(seconds=1)
            phases.extend_phase(phase, organiser(round_), later, "longer", move_later=True)

    return act


STORMS = {
    "a rescore beside the judge": (rescore, judge, run_again),
    "marks and pins beside the judge": (mark, pin, judge, stop_and_resume),
    "a team removed beside the judge": (remove_and_restore, stop_and_resume, judge),
    "everybody": (
        rescore, judge, run_again, stop_and_resume, pin, mark, remove_and_restore, save_settings, extend,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", STORMS)
def test_nobody_waits_in_a_circle(round_: Round, name: str) -> None:
    storm(*(make(round_) for make in STORMS[name]))
    for team in {entry.team for entry in fresh_entries(round_)}:
        official = Entry.objects.filter(round=round_, team=team, is_official=True)
        assert official.count() <= 1
        assert not official.exclude(state="valid", mark="").exists()
    extend_all_chains()
    assert verify_chain(round_.contest_id)[1] == ""
