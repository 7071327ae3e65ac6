"""The one Celery task. A message names a kind of job; the database decides which job of that kind is next."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

from celery import shared_task

from contest.jobs.queue import TASK
from contest.models import Job
from contest.work.handlers import work_on

logger = logging.getLogger(__name__)

_served: set[Job.Kind] = set(Job.Kind)


def serve_only(kinds: Iterable[Job.Kind]) -> None:
    """From now on this worker does jobs of these kinds alone, whatever a message asks it to do.

    Otherwise a forged message could make a machine that holds the truths run a team's program.
    """
    _served.intersection_update(kinds)


@shared_task(name=TASK)
def do_next(kind: Any) -> None:
    if not isinstance(kind, str) or kind not in _served:
        logger.warning("a message asks for work that is not done here: %.60r", kind)
        return
    work_on(Job.Kind(kind))
