"""The place in the queue, against workers that really claim; the estimate, on numbers made by hand."""

from __future__ import annotations

import datetime
import random

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from contest.jobs.heartbeats import beat
from contest.jobs.queue import claim_next, enqueue_job
from contest.jobs.queue_estimates import PROGRAM_SECONDS, wait_for
from contest.jobs.turns import places
from contest.models import Heartbeat, Job, Team
from contest.work.handlers import work_on
from tests.factories import make_contest, make_entry, make_round, make_team

pytestmark = pytest.mark.django_db


def queue(owner: Team | None) -> Job:
    return enqueue_job(Job.Kind.ATTACK, owner_id=owner.pk if owner else None)


@pytest.mark.parametrize("seed", range(6))
def test_places_are_those_in_which_workers_claim(seed: int) -> None:
    rng = random.Random(seed)
    contest = make_contest()
    owners: list[Team | None] = [make_team(contest) for _ in range(4)]
    for _ in range(rng.randrange(3)):
        queue(rng.choice(owners[:2]))
        assert claim_next(Job.Kind.ATTACK) is not None
    for _ in range(12):
        queue(rng.choice([*owners, None]))
    waiting = Job.objects.filter(state=Job.State.QUEUED).order_by("pk").values_list("owner", "pk")
    promised = dict(zip([pk for _, pk in waiting], places(Job.Kind.ATTACK, waiting), strict=True))
    claimed = []
    while claim := claim_next(Job.Kind.ATTACK):
        claimed.append(claim.job.pk)
    assert len(claimed) == 12
    assert promised == {pk: place for place, pk in enumerate(claimed, start=1)}


@pytest.fixture
def stopped_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """What has run for so many seconds has run for exactly so many, however slow this machine is."""
    now = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now)


def listen(name: str, *queues: str, slots: int = 1) -> None:
    beat(name, Heartbeat.Kind.WORKER, queues, timezone.now(), slots)


def running(kind: Job.Kind, seconds: float, worker: str) -> None:
    """A job that a worker began so many seconds ago."""
    now = timezone.now()
    Job.objects.create(
        kind=kind,
        state=Job.State.RUNNING,
        worker=worker,
        token="t",
        rung_at=now,
        lease_until=now,
        started_at=now - datetime.timedelta(seconds=seconds),
    )


def finished(seconds: float, kind: Job.Kind = Job.Kind.ATTACK) -> None:
    job = enqueue_job(kind)
    now = timezone.now()
    start = now - datetime.timedelta(seconds=seconds)
    Job.objects.filter(pk=job.pk).update(state=Job.State.DONE, started_at=start, finished_at=now)


@pytest.mark.usefixtures("stopped_clock")
def test_the_estimate_is_the_pace_of_the_last_jobs_times_the_place() -> None:
    team, other = make_team(make_contest()), make_team(make_contest())
    listen("one", "attacks")
    for seconds in (10.0, 20.0, 30.0):
        finished(seconds)
    queue(other)
    mine = queue(team)
    wait = wait_for(Job.objects.filter(pk=mine.pk))
    assert wait is not None
    assert (wait.position, wait.seconds, wait.minutes) == (2, pytest.approx(40.0), 1)


def estimate(job: Job) -> tuple[float | None, float | None]:
    wait = wait_for(Job.objects.filter(pk=job.pk))
    assert wait is not None and wait.is_attended
    return wait.seconds, wait.at_most


@pytest.mark.usefixtures("stopped_clock")
def test_what_runs_and_every_process_that_listens_is_in_the_estimate() -> None:
    """Jobs of 20 s. One process has 15 s to go, another takes no attacks, a third comes and is free."""
    finished(20.0)
    listen("one", "attacks")
    listen("deaf", "checks", slots=5)
    running(Job.Kind.ATTACK, 5.0, "one")
    mine = queue(make_team(make_contest()))
    assert estimate(mine) == (pytest.approx(35.0), None)
    listen("two", "attacks", "programs")
    assert estimate(mine) == (pytest.approx(20.0), None)


@pytest.mark.usefixtures("stopped_clock")
def test_a_job_that_takes_longer_than_usual_is_not_about_to_end() -> None:
    finished(2.0)
    listen("one", "attacks")
    running(Job.Kind.ATTACK, 50.0, "one")
    assert estimate(queue(make_team(make_contest()))) == (pytest.approx(52.0), None)


@pytest.mark.usefixtures("stopped_clock")
def test_other_work_of_the_same_worker_is_ahead() -> None:
    """Three checks of 7 s were queued before; a worker that listens to both queues does them first."""
    finished(20.0)
    finished(7.0, Job.Kind.CHECK)
    listen("all", "attacks", "checks")
    for _ in range(3):
        enqueue_job(Job.Kind.CHECK)
    assert estimate(queue(None)) == (pytest.approx(41.0), None)


@pytest.mark.usefixtures("stopped_clock")
@pytest.mark.parametrize("slots", [1, 2])
def test_a_program_that_runs_counts_with_all_of_its_time_where_it_is_in_the_way(slots: int) -> None:
    finished(3.0, Job.Kind.CHECK)
    finished(1.0, Job.Kind.PROGRAM)
    listen("all", "checks", "programs", slots=slots)
    running(Job.Kind.PROGRAM, 20.0, "all")
    found = estimate(enqueue_job(Job.Kind.CHECK))
    most = pytest.approx(PROGRAM_SECONDS - 20.0 + 3.0)
    assert found == ((most, most) if slots == 1 else (pytest.approx(3.0), None))


@pytest.mark.usefixtures("stopped_clock")
def test_of_programs_both_the_pace_and_the_limit_are_told() -> None:
    finished(4.0, Job.Kind.PROGRAM)
    listen("one", "programs")
    for _ in range(2):
        mine = enqueue_job(Job.Kind.PROGRAM)
    assert estimate(mine) == (pytest.approx(8.0), pytest.approx(2 * PROGRAM_SECONDS))


def test_without_a_finished_job_there_is_a_place_and_no_estimate_and_without_a_job_nothing() -> None:
    mine = queue(make_team(make_contest()))
    wait = wait_for(Job.objects.filter(pk=mine.pk))
    assert wait is not None
    assert (wait.position, wait.seconds, wait.is_attended) == (1, None, False)
    assert wait_for(Job.objects.filter(pk=-1)) is None


def test_the_page_of_a_waiting_entry_says_its_place_and_time(client: Client) -> None:
    round_ = make_round()
    first, second = (make_entry(round_, make_team(round_.contest)) for _ in range(2))
    Job.objects.filter(entry=first).update(
        state=Job.State.DONE,
        started_at=timezone.now() - datetime.timedelta(seconds=7),
        finished_at=timezone.now(),
    )
    make_entry(round_, make_team(round_.contest))
    member = second.team.memberships.select_related("user").get().user
    client.force_login(member)
    html = client.get(second.get_absolute_url()).content.decode()
    assert "next in the queue" in html
    assert "No worker takes such jobs" in html
    listen("one", "checks")
    html = client.get(second.get_absolute_url()).content.decode()
    assert "About 7" in html
    assert "No worker" not in html and "Up to" not in html


def test_the_matrix_page_waits_as_long_as_the_workers_that_are_there_take(client: Client) -> None:
    round_ = make_round(feedback="full")
    for _ in range(4):
        make_entry(round_, make_team(round_.contest))
    while Job.objects.filter(kind__in=["check", "score"], state="queued").exists():
        for kind in (Job.Kind.CHECK, Job.Kind.SCORE):
            work_on(kind)
    waiting = Job.objects.filter(kind="attack", state="queued").count()
    assert waiting == 4
    url = reverse("matrix", args=[round_.contest.slug, round_.slug])
    page = client.get(url)
    assert page.context["n_waiting"] == 4
    assert "No worker takes such jobs at the moment." in page.content.decode()
    finished(300.0)
    listen("one", "attacks")
    assert "About 20 minutes left at the pace of the last jobs." in client.get(url).content.decode()
    listen("two", "attacks", slots=3)
    page = client.get(url)
    assert "About 5 minutes left at the pace of the last jobs." in page.content.decode()
    assert "in the queue" not in page.content.decode()
