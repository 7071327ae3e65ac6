"""Programs that sleep until their limit delay no other team's entry, and the page says how long they may."""

from __future__ import annotations

import datetime
import io

import pytest
from django.test import Client
from django.utils import timezone

from contest.files.storage import submitted
from contest.jobs.heartbeats import living
from contest.jobs.queue import IN_SANDBOX
from contest.models import Entry, Heartbeat, Job, Phase, Round
from contest.services import team_attacks
from tests.factories import make_entry, make_round, make_team, work_off
from tests.services.installation import Processes, wait_for
from tests.services.test_offence import member, need_sandbox
from tests.services.test_stopping import SLEEPER

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow, pytest.mark.once]


@pytest.fixture
def round_() -> Round:
    """A round with two entries that a team attacks with a program that sleeps."""
    need_sandbox()
    now, day = timezone.now(), datetime.timedelta(days=1)
    phases = [(Phase.Kind.ANONYMISE, now - day, now + day), (Phase.Kind.ATTACK, now - day, now + day)]
    made = make_round(phases=phases)
    for _ in range(2):
        make_entry(made, make_team(made.contest))
    work_off()
    hunter = make_team(made.contest)
    team_attacks.submit_program(made, hunter, member(hunter), submitted.put(io.BytesIO(SLEEPER)))
    return made


def sleeping() -> int:
    return Job.objects.filter(kind=Job.Kind.PROGRAM, state=Job.State.RUNNING, step=IN_SANDBOX()).count()


def test_an_entry_is_checked_and_scored_while_another_teams_programs_sleep(round_: Round) -> None:
    with Processes() as processes:
        processes.start_workers_of_one_machine()
        wait_for(lambda: sleeping() == 1, 120, "a program sleeps on the only process for programs")
        entry = make_entry(round_, make_team(round_.contest))

        def is_valid() -> bool:
            entry.refresh_from_db()
            return entry.state == Entry.State.VALID

        # The first program would end after 120 s, the second after 240 s.
        wait_for(is_valid, 110, "the entry is checked and scored")
        assert sleeping() == 1
        assert Job.objects.filter(kind=Job.Kind.PROGRAM, state=Job.State.QUEUED).count() >= 1


def test_where_one_worker_does_everything_the_page_says_how_long_the_program_may_take(
    round_: Round, client: Client
) -> None:
    """The estimate is about the workers that there are, also where they are not kept apart."""
    with Processes() as processes:
        processes.start_worker(concurrency=1)
        wait_for(lambda: sleeping() == 1, 120, "a program sleeps on the only process")
        wait_for(lambda: bool(living(Heartbeat.Kind.WORKER)), 120, "a heartbeat from the worker")
        assert living(Heartbeat.Kind.WORKER)[0].slots == 1
        entry = make_entry(round_, make_team(round_.contest))
        client.force_login(member(entry.team))
        html = client.get(entry.get_absolute_url()).content.decode()
    assert "Up to" in html
    assert "About" not in html
