"""Web, worker and sweeper killed at random while a matrix fills: it ends as in a quiet run, cell by cell."""

from __future__ import annotations

import datetime
import io
import os
import random
import time

import pytest
from django.db.models import Count
from django.utils import timezone

from contest.files.storage import submitted
from contest.models import AttackRun, AuditEvent, Entry, Job, Phase, Round
from contest.services import team_attacks
from games.shop.attacks.registry import ATTACKS
from tests.conftest import free_port
from tests.factories import entry_files, make_contest, make_entry, make_round, make_team, work_off
from tests.services.installation import Processes
from tests.services.test_offence import member, need_sandbox

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow, pytest.mark.once]

SIZE = int(os.environ.get("KAKURENBO_TEST_MATRIX", "5"))
"""Entries and attacks; `make chaos` sets 20."""
GUESSER = """
import sys
original, entry, out = sys.argv[1:]
n = sum(1 for _ in open(original + "/M.csv"))
rows = sum(1 for _ in open(entry + "/M.csv"))
open(out, "w").write("".join(f"{(row * 7 + %d) %% n + 1}\\n" for row in range(rows)))
"""
METHODS = ("shuffle", "swap", "noise", "round", "delete")


def make_matrix(name: str) -> Round:
    """A round with SIZE teams, an entry each, and SIZE attacks: house attacks, and programs of teams."""
    now, day = timezone.now(), datetime.timedelta(days=1)
    phases = [(Phase.Kind.ANONYMISE, now - day, now + day), (Phase.Kind.ATTACK, now - day, now + day)]
    cheap = [attack.name for attack in ATTACKS if attack.name not in {"re-ensemble", "re-refit"}]
    n_house = min(len(cheap), SIZE - max(2, SIZE // 3))
    round_ = make_round(make_contest(slug=name), phases=phases, attacks=cheap[:n_house])
    for number in range(SIZE):
        team = make_team(round_.contest, f"Team {number:02d}")
        make_entry(round_, team, entry_files(METHODS[number % len(METHODS)], number))
    return round_


def send_programs(round_: Round) -> None:
    n_house = round_.attacks.count()
    for number, team in enumerate(round_.contest.teams.order_by("name")[: SIZE - n_house]):
        program = submitted.put(io.BytesIO((GUESSER % number).encode()))
        team_attacks.submit_program(round_, team, member(team), program)


def cells(round_: Round) -> dict[tuple[str, str], tuple[str, int | None, list[int]]]:
    runs = AttackRun.objects.filter(attack__round=round_).select_related("attack__team", "entry__team")
    return {(run.attack.label, run.entry.team.name): (run.state, run.hits, run.found_rows) for run in runs}


def open_jobs() -> int:
    return Job.objects.filter(state__in=[Job.State.QUEUED, Job.State.RUNNING]).count()


def wait_until_busy(held: set[str], seconds: float = 15) -> set[str]:
    """Wait until a living worker has a job, at most for some seconds; returns the tokens seen so far."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and open_jobs():
        busy = set(Job.objects.filter(state=Job.State.RUNNING).values_list("token", flat=True))
        if busy - held:
            return held | busy
        time.sleep(0.02)
    return held


@pytest.mark.timeout(1800)
def test_a_matrix_filled_in_chaos_equals_the_quiet_one(capsys: pytest.CaptureFixture[str]) -> None:
    need_sandbox()
    quiet = make_matrix("quiet")
    work_off(10_000)
    send_programs(quiet)
    work_off(10_000)

    chance = random.Random(5)
    kills = {"worker": 0, "sweeper": 0, "web": 0}
    with Processes(KAKURENBO_JOB_MAX_ATTEMPTS="100") as processes:
        port = free_port()
        start = {
            "worker": lambda: processes.start_worker(concurrency=2),
            "sweeper": processes.start_sweeper,
            "web": lambda: processes.start_web(port),
        }
        running = {name: begin() for name, begin in start.items()}
        chaotic = make_matrix("chaotic")
        sent = False
        held: set[str] = set()
        deadline = time.monotonic() + 1500
        while open_jobs() or not sent:
            assert time.monotonic() < deadline, f"{open_jobs()} jobs are still open"
            if not sent and not Entry.objects.filter(round=chaotic).exclude(state=Entry.State.VALID).exists():
                send_programs(chaotic)
                sent = True
            if sum(kills.values()) < 2 * SIZE:
                name = chance.choice(["worker", "worker", "sweeper", "web"])
                held = wait_until_busy(held)
                time.sleep(0.2 * chance.random())
                processes.kill(running[name])
                kills[name] += 1
                running[name] = start[name]()
            else:
                time.sleep(0.2)

    expected, found = cells(quiet), cells(chaotic)
    retried = Job.objects.filter(attempts__gt=1).count()
    with capsys.disabled():
        print(f"\n{SIZE} × {SIZE} matrix, {len(found)} cells, kills {kills}, {retried} jobs tried again")
    assert found == expected
    assert {state for state, _, _ in found.values()} == {"done"}
    done = AuditEvent.objects.filter(verb="attack_run.done").values("subject").annotate(n=Count("id"))
    assert set(done.values_list("n", flat=True)) == {1}
