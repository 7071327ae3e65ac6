"""Celery tasks of the contest itself. A task carries the primary key of its job and nothing else."""

from __future__ import annotations

from celery import shared_task

from contest.models import Job
from contest.services import webhooks
from contest.services.jobs import Claim, perform_next
from contest.services.mails import send_mails
from contest.services.post import deliver


@shared_task(name="contest.tasks.send_announcement")
def send_announcement(job_id: int) -> None:
    perform_next(Job.Kind.MAIL, send_mails)


@shared_task(name="contest.tasks.send_letter")
def send_letter(job_id: int) -> None:
    perform_next(Job.Kind.LETTER, _send)


def _send(claim: Claim) -> None:
    deliver(claim.job.payload["mail"])
    with claim.finish():
        pass


@shared_task(name="contest.tasks.deliver_news")
def deliver_news(job_id: int) -> None:
    perform_next(Job.Kind.WEBHOOK, _deliver_news)


def _deliver_news(claim: Claim) -> None:
    webhooks.deliver(claim.job.payload["delivery"])
    with claim.finish():
        pass
