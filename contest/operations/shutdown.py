"""What a worker does when asked to stop: it finishes what is short, and gives the rest back."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from typing import Any

from celery.signals import celeryd_init, worker_process_init, worker_shutting_down
from django.conf import settings
from django.db import DatabaseError, connection

from contest.jobs import queue
from contest.operations.supervisor import die_with_parent

logger = logging.getLogger(__name__)


@celeryd_init.connect
def name_worker(**kwargs: Any) -> None:
    """Its processes are made by fork after this line, so that all of them have the name."""
    queue.WORKER.name = f"{queue.WORKER.host}:{os.getpid()}"


@worker_process_init.connect
def follow_parent(**kwargs: Any) -> None:
    die_with_parent(signal.SIGKILL)


@worker_shutting_down.connect
def begin_to_stop(**kwargs: Any) -> None:
    """Celery waits for running tasks without limit; a second thread sets the limit."""
    threading.Thread(target=_stop_in_time, name="stop-in-time", daemon=True).start()


def _stop_in_time() -> None:
    deadline = time.monotonic() + settings.WORKER_STOP_SECONDS
    while time.monotonic() < deadline:
        time.sleep(0.2)
    try:
        given_back = queue.give_back(queue.WORKER.name)
        logger.warning("stopping: %s unfinished jobs given back", given_back)
    except DatabaseError:
        # Their leases lapse, and the sweeper gives them back.
        logger.warning("stopping: the database does not answer, unfinished jobs wait for the sweeper")
    finally:
        connection.close()
        # The processes that still work end with this one; what they held is no longer theirs.
        os._exit(0)
