"""The Celery application. Tasks carry nothing but the primary key of a job."""

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
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["scoring", "attacks", "anonymizers", "contest"])
app.autodiscover_tasks(["contest"], related_name="shutdown")
app.autodiscover_tasks(["contest"], related_name="pulse")


@celeryd_after_setup.connect
def forget_tasks_of_others(instance: Any, **kwargs: Any) -> None:
    """A worker knows the tasks of its own queues alone, whatever a message asks it to do.

    Otherwise a forged message could let a machine that holds the truths run a program of a team.
    """
    from contest.services.jobs import TASKS

    heard = instance.app.amqp.queues.consume_from
    own = {name for name, queue in TASKS.values() if settings.QUEUE_PREFIX + queue in heard}
    for name in set(instance.app.tasks) - own:
        instance.app.tasks.unregister(name)
