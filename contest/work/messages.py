"""Sending what leaves the installation: e-mails and news. Announcements are sent by `announcement_mails`."""

from __future__ import annotations

from contest.jobs.queue import Claim
from contest.outside import outbox, webhooks


def send_letter(claim: Claim) -> None:
    outbox.deliver(claim.job.payload["mail"])
    with claim.finish():
        pass


def deliver_news(claim: Claim) -> None:
    webhooks.deliver(claim.job.payload["delivery"])
    with claim.finish():
        pass
