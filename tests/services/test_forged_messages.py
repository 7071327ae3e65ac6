"""Forged messages in the queue of a machine that holds the truths: they wake a worker, and no more."""

from __future__ import annotations

import datetime
import io
import json
import pickle
import signal
from pathlib import Path
from typing import Any

import kombu
import pytest
from django.conf import settings
from django.utils import timezone

from config.celery import app
from contest.files.storage import submitted
from contest.jobs import queue
from contest.jobs.queue import TASK
from contest.models import AttackRun, Entry, Job, Phase, Round, Team
from contest.operations import processes
from contest.services import team_attacks
from contest.work.handlers import work_on
from tests.factories import entry_files, make_entry, make_round, make_team, work_off
from tests.services.installation import Processes, wait_for
from tests.services.test_offence import member

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

EMBED: dict[str, Any] = {"callbacks": None, "errbacks": None, "chain": None, "chord": None}


class Trace:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (self.path,))


def headers(task: Any, **more: Any) -> dict[str, Any]:
    return {"lang": "py", "task": task, "id": "forged", "root_id": "forged", "parent_id": None, **more}


def call(task: str, *args: Any, embed: dict[str, Any] | None = None, **options: Any) -> dict[str, Any]:
    body = json.dumps([list(args), options, {**EMBED, **(embed or {})}])
    return {"body": body, "headers": headers(task)}


def signature(task: str, *args: Any) -> dict[str, Any]:
    return {"task": task, "args": list(args), "kwargs": {}, "options": {}, "subtask_type": None}


PROGRAM = signature(TASK, "program")


def forgeries(trace: Path) -> dict[str, dict[str, Any]]:
    opened = pickle.dumps(Trace(trace))
    return {
        "work of another machine": call(TASK, "program"),
        "other work of another machine": call(TASK, "attack"),
        "work that nobody does": call(TASK, "everything"),
        "a number in the place of a kind of work": call(TASK, 1),
        "a list in the place of a kind of work": call(TASK, ["program"]),
        "a task of an earlier version": call("attacks.tasks.run_program", 1),
        "a task that runs tasks": call("celery.map", signature(TASK), ["program"]),
        "a task that runs tasks with arguments": call("celery.starmap", signature(TASK), [["program"]]),
        "a chain": call("celery.chain", PROGRAM),
        "a module in the place of a task": call("os.system", f"touch {trace}"),
        "no task": {"body": "[]", "headers": {}},
        "a task that calls others afterwards": call(TASK, "check", embed={"callbacks": [PROGRAM]}),
        "a task that calls others on errors": call(TASK, embed={"errbacks": [PROGRAM]}),
        "a task that goes on with others": call(TASK, "check", embed={"chain": [PROGRAM]}),
        "too few arguments": call(TASK),
        "too many arguments": call(TASK, "check", "program"),
        "unknown arguments": call(TASK, "check", shell="x"),
        "a pickle": {
            "body": opened,
            "headers": headers(TASK),
            "content_type": "application/x-python-serialize",
            "content_encoding": "binary",
        },
        "a pickle without a task": {
            "body": opened,
            "headers": {},
            "content_type": "application/x-python-serialize",
            "content_encoding": "binary",
        },
        "YAML": {
            "body": f"!!python/object/apply:os.mknod [{trace}]",
            "headers": headers(TASK),
            "content_type": "application/x-yaml",
        },
        "an unknown kind of content": {"body": "x", "headers": headers(TASK), "content_type": "text/x-none"},
    }


@pytest.fixture
def round_() -> Round:
    now, day = timezone.now(), datetime.timedelta(days=1)
    return make_round(
        phases=[(Phase.Kind.ANONYMISE, now - day, now + day), (Phase.Kind.ATTACK, now - day, now + day)]
    )


@pytest.fixture
def waiting_program(round_: Round) -> Job:
    """A program of a team, which only a machine without truths may run."""
    hunted, hunter = make_team(round_.contest), make_team(round_.contest)
    make_entry(round_, hunted)
    work_off()
    team_attacks.submit_program(round_, hunter, member(hunter), submitted.put(io.BytesIO(b"print(1)\n")))
    return Job.objects.get(kind=Job.Kind.PROGRAM)


def put(queue: str, body: Any, content_type: str = "application/json", **message: Any) -> None:
    with app.connection_for_write() as connection, connection.channel() as channel:
        kombu.Queue(queue, kombu.Exchange(""), routing_key=queue)(channel).declare()
        kombu.Producer(channel).publish(
            body,
            routing_key=queue,
            content_type=content_type,
            content_encoding=message.pop("content_encoding", "utf-8"),
            **message,
        )


def length(queue: str) -> int:
    with app.connection_for_write() as connection:
        # Not passively: in Redis an empty queue is none.
        found = connection.default_channel.queue_declare(queue, durable=True, auto_delete=False)  # type: ignore[attr-defined]
        return int(found.message_count)


@pytest.mark.broker
def test_no_message_makes_a_machine_with_truths_run_a_program(
    round_: Round, waiting_program: Job, tmp_path: Path
) -> None:
    queue = f"{settings.QUEUE_PREFIX}checks"
    with app.connection_for_write() as connection:
        connection.default_channel.queue_purge(queue)  # type: ignore[attr-defined]
    trace = tmp_path / "it-ran"
    for forged in forgeries(trace).values():
        put(queue, **forged)
    team: Team = make_team(round_.contest)
    with Processes() as processes_:
        worker = processes_.start(*processes.worker([queue], concurrency=1))
        # What the forged messages themselves send is in the queue before the second message.
        for seed in (5, 6):
            entry = make_entry(round_, team, entry_files("swap", seed))

            def checked(entry: Entry = entry) -> bool:
                entry.refresh_from_db()
                assert worker.poll() is None
                return entry.state == Entry.State.SCORING and length(queue) == 0

            wait_for(checked, 120, "the worker does its own work after all of them")
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(timeout=120) == 0
    assert not trace.exists()
    waiting_program.refresh_from_db()
    assert (waiting_program.state, waiting_program.attempts) == (Job.State.QUEUED, 0)
    assert AttackRun.objects.get(jobs=waiting_program).state == AttackRun.State.QUEUED
    assert Job.objects.get(entry=entry, kind=Job.Kind.CHECK).attempts == 1


def test_an_attack_machine_sends_no_message_and_the_next_sweep_does(
    round_: Round, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_entry(round_, make_team(round_.contest))
    work_on(Job.Kind.CHECK)
    work_on(Job.Kind.SCORE)
    sent: list[str] = []
    monkeypatch.setattr(app, "send_task", lambda name, args, **options: sent.extend(args))
    settings.ROLE = "attacks"
    work_on(Job.Kind.ATTACK)
    judge = Job.objects.get(kind=Job.Kind.JUDGE)
    assert (judge.rung_at, sent) == (queue.NOT_NOTIFIED, [])
    settings.ROLE = "all"
    assert queue.sweep_jobs()["notified"] == 1
    assert sent == ["judge"]
    assert queue.sweep_jobs()["notified"] == 0
    judge.refresh_from_db()
    assert judge.rung_at > queue.NOT_NOTIFIED


def test_the_next_sweep_notifies_of_what_a_stopping_attack_machine_gives_back(
    round_: Round, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_entry(round_, make_team(round_.contest))
    work_on(Job.Kind.CHECK)
    work_on(Job.Kind.SCORE)
    monkeypatch.setattr(app, "send_task", lambda name, args, **options: sent.extend(args))
    sent: list[str] = []
    settings.ROLE = "attacks"
    assert queue.claim_next(Job.Kind.ATTACK) is not None
    assert queue.give_back(queue.WORKER.name) == 1
    assert sent == []
    settings.ROLE = "all"
    assert queue.sweep_jobs()["notified"] == 1
    assert sent == ["attack"]
