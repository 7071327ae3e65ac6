"""The Celery application. Tasks carry nothing but the primary key of a job."""

from __future__ import annotations

import os

from celery import Celery
from celery.signals import worker_init

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
