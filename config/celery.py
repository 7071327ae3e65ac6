"""The Celery application. Its one task carries the kind of a job and nothing else."""

from __future__ import annotations

import os
from typing import Any

from celery import Celery
from celery.signals import celeryd_after_setup, worker_init
from django.conf import settings

from config.private import keep_private

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


@worker_init.connect
def begin(**_facts: object) -> None:
    keep_private()


app = Celery("kakurenbo")
app.set_default()  # For every thread that asks Celery for its application.
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["contest.work"])
app.autodiscover_tasks(["contest.operations"], related_name="shutdown")
app.autodiscover_tasks(["contest.operations"], related_name="worker_heartbeat")


@celeryd_after_setup.connect
def serve_own_queues(instance: Any, **kwargs: Any) -> None:
    """A worker knows our one task, not Celery's own, and does the kinds of jobs of its queues alone."""
    from contest.jobs.queue import TASK
    from contest.jobs.queues import QUEUES
    from contest.work.tasks import serve_only

    heard = instance.app.amqp.queues.consume_from
    serve_only(kind for kind, queue in QUEUES.items() if settings.QUEUE_PREFIX + queue in heard)
    for name in set(instance.app.tasks) - {TASK}:
        instance.app.tasks.unregister(name)
