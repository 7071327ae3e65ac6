"""Lets a worker's main process write a heartbeat every few seconds, whatever its children are doing."""

from __future__ import annotations

import logging
import threading
from typing import Any

from celery.signals import worker_ready, worker_shutting_down
from django.conf import settings
from django.db import DatabaseError, connection
from django.utils import timezone

from attacks.sandbox import counted_by
from contest.jobs import queue
from contest.jobs.heartbeats import beat, say_goodbye
from contest.jobs.queues import QUEUES
from contest.models import Heartbeat, Job

logger = logging.getLogger(__name__)
PROGRAMS = QUEUES[Job.Kind.PROGRAM]
_stop = threading.Event()


@worker_ready.connect
def begin(sender: Any, **kwargs: Any) -> None:
    queues = [name.removeprefix(settings.QUEUE_PREFIX) for name in sender.app.amqp.queues.consume_from]
    slots = sender.controller.concurrency
    threading.Thread(target=_pulse, args=[queues, slots], name="pulse", daemon=True).start()


@worker_shutting_down.connect
def end(**kwargs: Any) -> None:
    _stop.set()


def _pulse(queues: list[str], slots: int) -> None:
    started_at = timezone.now()
    counting = counted_by(settings.SANDBOX) if PROGRAMS in queues else ""
    if counting == "none":
        logger.warning(
            "no control group counts the programs of teams on this machine; see docs/deployment.md"
        )
    while True:
        try:
            beat(queue.WORKER.name, Heartbeat.Kind.WORKER, queues, started_at, slots, counting)
        except DatabaseError:
            logger.warning("no heartbeat could be written", exc_info=True)
        finally:
            # The children are made by fork: a connection that is open then would be shared with them.
            connection.close()
        if _stop.wait(settings.HEARTBEAT_SECONDS):
            break
    try:
        say_goodbye(queue.WORKER.name)
    except DatabaseError:
        logger.warning("no farewell could be written")
    finally:
        connection.close()
