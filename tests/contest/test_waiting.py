"""The place in the queue, against workers that really claim; the estimate, on numbers made by hand."""

from __future__ import annotations

import datetime
import random

import pytest
from django.test import Client
from django.utils import timezone

from contest.models import Job, Team
from contest.services import jobs
from contest.waiting import turns, wait_for
from tests.factories import make_contest, make_entry, make_round, make_team

pytestmark = pytest.mark.django_db


def queue(owner: Team | None) -> Job:
    return jobs.enqueue_job(Job.Kind.ATTACK, owner_id=owner.pk if owner else None)


@pytest.mark.parametrize("seed", range(6))
def test_places_are_those_in_which_workers_claim(seed: int) -> None:
    rng = random.Random(seed)
    contest = make_contest()
    owners: list[Team | None] = [make_team(contest) for _ in range(4)]
    for _ in range(rng.randrange(3)):
        queue(rng.choice(owners[:2]))
        assert jobs.claim_next(Job.Kind.ATTACK) is not None
    for _ in range(12):
        queue(rng.choice([*owners, None]))
    promised = turns(Job.Kind.ATTACK)
    claimed = []
    while claim := jobs.claim_next(Job.Kind.ATTACK):
        claimed.append(claim.job.pk)
    assert len(claimed) == 12
    assert promised == {pk: place for place, pk in enumerate(claimed, start=1)}


def finished(seconds: float) -> None:
    job = queue(None)
    now = timezone.now()
    start = now - datetime.timedelta(seconds=seconds)
    Job.objects.filter(pk=job.pk).update(state=Job.State.DONE, started_at=start, finished_at=now)


def test_the_estimate_is_the_pace_of_the_last_jobs_times_the_place() -> None:
    team, other = make_team(make_contest()), make_team(make_contest())
    for seconds in (10.0, 20.0, 30.0):
        finished(seconds)
    queue(other)
    mine = queue(team)
    wait = wait_for(Job.objects.filter(pk=mine.pk))
    assert wait is not None
    assert (wait.position, wait.seconds, wait.minutes) == (2, pytest.approx(40.0), 1)


def test_without_a_finished_job_there_is_a_place_and_no_estimate_and_without_a_job_nothing() -> None:
    mine = queue(make_team(make_contest()))
    wait = wait_for(Job.objects.filter(pk=mine.pk))
    assert wait is not None
    assert (wait.position, wait.seconds) == (1, None)
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
    assert "About 7" in html
