"""Celery tasks of the contest itself. A task carries the primary key of its job and nothing else."""

from __future__ import annotations

from celery import shared_task

from contest.models import Job
from contest.services.jobs import perform_next
from contest.services.mails import send_mails


@shared_task(name="contest.tasks.send_announcement")
def send_announcement(job_id: int) -> None:
    perform_next(Job.Kind.MAIL, send_mails)
