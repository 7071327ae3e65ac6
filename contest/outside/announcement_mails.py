"""Announcements by mail: recorded for everybody in the transaction that publishes, sent by a worker."""

from __future__ import annotations

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db.models import Q
from django.utils import timezone

from contest.jobs import queue
from contest.models import Announcement, AnnouncementMail, Job, Notification, Team, User
from contest.outside.notices import who_want
from contest.records import audit


class NotAllSent(Exception):
    """Some e-mails were not sent; the job is tried again for those."""


def queue_mails(announcement: Announcement) -> int:
    """Record who gets the announcement, and notify a worker. Call it inside a transaction."""
    contest = announcement.contest
    plays = Q(memberships__contest=contest) & ~Q(memberships__team__status=Team.Status.REMOVED)
    people = User.objects.filter(plays, is_active=True).exclude(email="").distinct().order_by("pk")
    wanted = who_want(Notification.Kind.ANNOUNCEMENT, "mail", list(people))
    mails = AnnouncementMail.objects.bulk_create(
        AnnouncementMail(announcement=announcement, user=person) for person in wanted
    )
    if mails:
        payload = {"announcement": announcement.pk, "contest": contest.pk}
        queue.enqueue_job(Job.Kind.MAIL, payload=payload)
    return len(mails)


def send_mails(claim: queue.Claim) -> None:
    """Send what is not sent yet. An e-mail is claimed before it goes out, so that nobody gets it twice."""
    announcement = Announcement.objects.select_related("contest").get(pk=claim.job.payload["announcement"])
    waiting = AnnouncementMail.objects.filter(announcement=announcement, claimed_at=None)
    rows = list(waiting.select_related("user"))
    failed = 0
    with get_connection() as connection:
        for done, mail in enumerate(rows):
            claim.report(100 * done // len(rows), "writing e-mails")
            if not AnnouncementMail.objects.filter(pk=mail.pk, claimed_at=None).update(
                claimed_at=timezone.now()
            ):
                continue
            try:
                _letter(announcement, mail.user, connection).send()
            except OSError as error:
                failed += 1
                AnnouncementMail.objects.filter(pk=mail.pk).update(
                    claimed_at=None, error=f"{type(error).__name__}: {error}"[:200]
                )
            else:
                AnnouncementMail.objects.filter(pk=mail.pk).update(sent_at=timezone.now(), error="")
    if failed:
        raise NotAllSent(f"{failed} of {len(rows)} e-mails were not sent.")
    with claim.finish():
        sent = announcement.mails.filter(sent_at__isnull=False).count()
        audit.record(
            "announcement.mailed", announcement, contest=announcement.contest, after={"letters": sent}
        )


def _letter(announcement: Announcement, user: User, connection: BaseEmailBackend) -> EmailMessage:
    contest = announcement.contest
    # A line break in a header would be a second header.
    subject = " ".join(f"[{contest.title}] {announcement.title}".split())
    address = f"{settings.SITE_URL.rstrip('/')}{contest.get_absolute_url()}"
    body = f"{announcement.body}\n\n-- \n{contest.title}\n{address}\n"
    return EmailMessage(subject, body, to=[user.email], connection=connection)
