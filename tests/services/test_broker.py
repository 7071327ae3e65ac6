"""Messages: one sent on commit reaches a worker; one that is lost is sent again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from django.conf import settings

from config.celery import app
from contest.models import Entry, Job
from tests.factories import make_entry, make_round, make_team
from tests.services.installation import Processes, wait_for

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow, pytest.mark.broker]


def finished() -> bool:
    return not Job.objects.filter(state__in=[Job.State.QUEUED, Job.State.RUNNING]).exists()


def test_entries_travel_through_a_real_broker_to_a_real_worker() -> None:
    round_ = make_round()
    teams = [make_team(round_.contest) for _ in range(3)]
    with Processes() as processes:
        processes.start_worker(concurrency=2)
        for team in teams:
            make_entry(round_, team)
        wait_for(finished, 120, "all jobs are done")
    assert set(Entry.objects.values_list("state", flat=True)) == {Entry.State.VALID}
    assert Entry.objects.filter(risk__isnull=False).count() == 3


def test_a_lost_message_is_rung_again_by_the_sweeper() -> None:
    round_ = make_round()
    make_entry(round_, make_team(round_.contest))
    with app.connection_for_write() as connection:
        connection.default_channel.queue_purge(f"{settings.QUEUE_PREFIX}checks")  # type: ignore[attr-defined]
    with Processes() as processes:
        processes.start_worker()
        processes.start_sweeper()
        wait_for(finished, 120, "the job is done although its message was lost")
    assert Entry.objects.get().state == Entry.State.VALID


@pytest.mark.skipif(
    not settings.CELERY_BROKER_URL.startswith("files:"),
    reason="only on files: about the broker made of files",
)
def test_a_broken_message_file_does_not_stop_the_worker() -> None:
    folder = Path(settings.VAR) / "broker"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "checks.00000000000000000001.x.msg").write_text("")
    (folder / "checks.00000000000000000002.x.msg").write_text('{"body": ')
    round_ = make_round()
    make_entry(round_, make_team(round_.contest))
    with Processes() as processes:
        worker = processes.start_worker()
        wait_for(finished, 120, "the good message is worked on")
        assert worker.poll() is None
    assert Entry.objects.get().state == Entry.State.VALID
