"""kill -9 of the worker in the middle of every kind of job of a round of a game.

Nothing is lost, nothing is doubled, nothing is half written, and all numbers are those of a quiet run.
"""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import pytest
from django.db.models import Count

from contest.files import vault
from contest.files.storage import published
from contest.models import (
    AttackRun,
    AuditEvent,
    Commitment,
    Entry,
    GamePackage,
    Job,
    Round,
    Score,
    Sealed,
    Seat,
    StoredBoard,
    Trial,
)
from contest.play import packages
from contest.services.game_packages import upload_game
from contest.services.hiders import keep_program, submit_hider
from contest.services.trials import try_version
from contest.work.recounts import Recount
from contest.work.verification import recount
from tests.factories import make_contest, make_entry, make_team, work_off
from tests.game_rounds import TOYS, answer, attack_files, make_game_round, method_files
from tests.game_versions import EXACT, PEOPLE, mini, version_2
from tests.outside_games.on_site import SECRET_SEED, everything_of
from tests.services.installation import Processes
from tests.services.killed_games import Gates, finish_all, kill_at, kill_in, open_jobs
from tests.services.test_offence import need_sandbox

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow, pytest.mark.once]

TIMES = int(os.environ.get("KAKURENBO_TEST_KILLS_IN_GAMES", "1"))
"""How often a worker is killed at each place; `make chaos` sets 4."""
TEAMS = ("Aki", "Haru")
HIDER = b"""
import shutil, sys, time
round_, mine, task, out = sys.argv[1:]
time.sleep(2)
shutil.copy(round_ + "/people.csv", out + "/release.csv")
"""


@pytest.fixture
def gates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    gates = Gates(tmp_path / "gates")
    monkeypatch.setenv("KAKURENBO_GAMES", str(gates.game(TOYS["pair"], tmp_path / "pair")))
    yield gates
    packages._installed_game.cache_clear()
    packages._installed_declaration.cache_clear()


class Played:
    """A round of `pair`, step by step; ``do`` does the jobs of each step. No name depends on the database."""

    def __init__(self, slug: str, do: Any) -> None:
        contest = make_contest(slug=slug)
        self.teams = [make_team(contest, name) for name in TEAMS]
        self.round = made_round(contest, packages.installed_package("pair"))
        do("build", "allot")
        self.round.refresh_from_db()
        for number, team in enumerate(self.teams):
            entry = make_entry(self.round, team, method_files(self.round, team, "flip"))
            Entry.objects.filter(pk=entry.pk).update(key=f"target{number}")
        do("publish", "measure", "attack", "judge", "tally")
        for team in self.teams:
            answer(self.round, team, attack_files(self.round, team, "by-age"))
        do("judge", "tally")


def made_round(contest: Any, package: GamePackage) -> Round:
    """A round whose build is queued."""
    return make_game_round(contest, package, None, SECRET_SEED, attacks=["by-age"], is_worked_off=False)


def compared(round_: Round) -> dict[str, Any]:
    """Everything, without the keys of rows and the hashes of answers: their zips hold the time."""
    found = everything_of(round_)
    boards = [
        (view, name, columns, [_without_keys(row) for row in rows], shown)
        for view, name, columns, rows, shown in found["boards"]
    ]
    runs = sorted(map(tuple, found["runs"]), key=repr)
    answers = [tuple(row)[:-1] for row in found["answers"]]
    return {**found, "boards": boards, "runs": runs, "answers": answers}


def _without_keys(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in ("team", "entry")}


def require_whole(round_: Round) -> None:
    """Nothing is doubled or half written; whatever a row names is stored as it was written."""
    assert set(Job.objects.values_list("state", flat=True)) == {Job.State.DONE}
    for rows, key in (
        (Score.objects.filter(entry__round=round_), ("entry", "measure", "game")),
        (Sealed.objects.filter(round=round_), ("scope", "seat", "entry", "name")),
        (Commitment.objects.filter(round=round_), ("what", "sha256")),
        (StoredBoard.objects.filter(round=round_), ("view", "name")),
        (AttackRun.objects.filter(attack__round=round_), ("attack", "entry", "challenge")),
    ):
        doubled = rows.values(*key).order_by().annotate(n=Count("id")).filter(n__gt=1)
        assert not doubled.exists(), list(doubled)
    done = AuditEvent.objects.filter(contest=round_.contest, verb="attack_run.done").values("subject")
    assert set(done.order_by().annotate(n=Count("id")).values_list("n", flat=True)) == {1}
    for row in Sealed.objects.filter(round=round_):
        assert vault.is_intact(row.sha256), row
    public = [*round_.dataset.files.values()]
    public += [sha for entry in Entry.objects.filter(round=round_) for sha in entry.published.values()]
    assert all(map(published.exists, public))


@pytest.mark.timeout(900)
def test_a_round_whose_workers_are_killed_in_every_verb_ends_as_a_quiet_one(
    gates: Gates, capsys: pytest.CaptureFixture[str]
) -> None:
    quiet = Played("quiet", lambda *verbs: work_off(1000))
    expected = compared(quiet.round)
    killed: list[str] = []

    with Processes(KAKURENBO_JOB_MAX_ATTEMPTS="100") as processes:
        processes.start_sweeper()

        def disturbed(*verbs: str) -> None:
            for verb in verbs:
                kill_in(processes, gates, verb, TIMES)
                killed.extend([verb] * TIMES)
            finish_all(processes)

        chaotic = Played("chaotic", disturbed)
    again = Job.objects.filter(attempts__gt=1)
    with capsys.disabled():
        kinds = sorted(set(again.values_list("kind", flat=True)))
        print(f"\nkilled {len(killed)} times, in {', '.join(killed)}; tried again: {', '.join(kinds)}")
    assert set(again.values_list("kind", flat=True)) >= {"build", "check", "score", "seek", "answer", "tally"}
    chaotic.round.refresh_from_db()
    require_whole(chaotic.round)
    assert not Seat.objects.filter(round=chaotic.round, sealed=None).exists(), "every seat has its files"
    assert compared(chaotic.round) == expected
    found: Recount = recount(chaotic.round.contest)
    assert found.differences == []


@pytest.mark.timeout(900)
def test_killed_trials_of_games_and_versions_and_hiders_end_as_if_nothing_had_happened() -> None:
    need_sandbox()
    contest = make_contest()
    organiser = contest.organisers.select_related("user").get().user
    with Processes(KAKURENBO_JOB_MAX_ATTEMPTS="100") as processes:
        processes.start_sweeper()
        first = upload_game(contest, organiser, io.BytesIO(mini()))
        kill_at(processes, Job.Kind.GAME, TIMES)
        finish_all(processes)
        first.refresh_from_db()
        assert first.state == GamePackage.State.READY, (first.findings, first.log)
        assert all(finding["holds"] is not False for finding in first.findings)

        aki, haru = make_team(contest, "Aki"), make_team(contest, "Haru")
        round_ = make_game_round(
            contest, first, {"people.csv": PEOPLE}, SECRET_SEED, attacks=["copy"], is_worked_off=False
        )
        finish_all(processes)
        make_entry(round_, aki, EXACT)
        user = haru.memberships.get().user
        hidden = submit_hider(round_, haru, user, keep_program(io.BytesIO(HIDER)))
        kill_at(processes, Job.Kind.HIDE, TIMES)
        finish_all(processes)
        hidden.refresh_from_db()
        assert (hidden.state, hidden.measures) == (Entry.State.VALID, {"error": 0.0}), hidden.problems

        second = upload_game(contest, organiser, io.BytesIO(version_2()))
        finish_all(processes)
        second.refresh_from_db()
        trial = try_version(round_, organiser, second)
        kill_at(processes, Job.Kind.TRIAL, TIMES)
        finish_all(processes)
    trial.refresh_from_db()
    assert trial.state == Trial.State.READY, (trial.why_failed, trial.log)
    # By both versions three of Aki's four ages are found, and all of Haru's, which are as they were.
    risks = {row["name"]: (row["before"]["risk"], row["after"]["risk"]) for row in trial.results["runs"]}
    assert risks == {"Aki #1": (0.75, 0.75), "Haru #1": (1.0, 1.0)}
    tried = Job.objects.filter(attempts__gt=1).values_list("kind", flat=True)
    assert set(tried) >= {"game", "hide", "trial"}
    assert open_jobs() == 0
    round_.refresh_from_db()
    require_whole(round_)
    assert recount(contest).differences == []
