"""kill -9 of the whole worker in the middle of jobs: nothing lost, nothing stuck, nothing doubled."""

from __future__ import annotations

import os
import random
import time

import pytest
from django.db import connection
from django.db.models import Count

from contest.models import AttackRun, Entry, Job, Score
from tests.factories import entry_files, make_entry, make_round, make_team, small_data
from tests.services.installation import Processes, wait_for

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow, pytest.mark.broker]

KILLS = int(os.environ.get("KAKURENBO_TEST_KILLS", "4"))
ENTRIES = 10


def open_jobs() -> int:
    return Job.objects.filter(state__in=[Job.State.QUEUED, Job.State.RUNNING]).count()


def running() -> set[str]:
    return set(Job.objects.filter(state=Job.State.RUNNING).values_list("token", flat=True))


@pytest.mark.timeout(600)
def test_killed_workers_lose_no_entry_and_double_no_score(capsys: pytest.CaptureFixture[str]) -> None:
    chance = random.Random(20161011)
    data = small_data(400)
    round_ = make_round(data=data, entries_per_day=100, attacks=["re-itemset"])
    team = make_team(round_.contest, "Tanuki")
    files = entry_files("swap", 1, data)
    in_the_middle = kills = 0
    with Processes(KAKURENBO_JOB_MAX_ATTEMPTS="100") as processes:
        processes.start_sweeper()
        worker = processes.start_worker()
        for _ in range(ENTRIES):
            make_entry(round_, team, files)
        orphans: set[str] = set()
        while kills < KILLS:
            if open_jobs() < 3:
                make_entry(round_, team, files)
            # A job that a dead worker held is running until its lease lapses; wait for one of the living.
            wait_for(lambda held=orphans: bool(running() - held), 120, "the new worker has taken a job")
            time.sleep(chance.random() * 0.2)
            processes.kill(worker)
            kills += 1
            in_the_middle += bool(running() - orphans)
            orphans = orphans | running()
            worker = processes.start_worker()
        wait_for(lambda: open_jobs() == 0, 240, "all jobs are done")
    entries = Entry.objects.count()
    with capsys.disabled():
        print(
            f"\n[{connection.vendor}] {kills} kills, {in_the_middle} of them in the middle of a job; "
            f"{entries} entries, "
            f"{Job.objects.filter(attempts__gt=1).count()} jobs needed more than one attempt"
        )
    assert in_the_middle >= KILLS // 4
    assert Job.objects.filter(attempts__gt=1).exists()
    assert entries >= ENTRIES
    assert set(Entry.objects.values_list("state", flat=True)) == {Entry.State.VALID}
    assert set(Job.objects.values_list("state", flat=True)) == {Job.State.DONE}
    doubled = Score.objects.values("entry", "measure").annotate(n=Count("id")).filter(n__gt=1)
    assert not doubled.exists()
    assert Score.objects.count() == 4 * entries
    assert AttackRun.objects.filter(state=AttackRun.State.DONE).count() == entries
