"""The outbox. An e-mail is written with the action it is about, and sent after it: a mail server that is
down delays e-mails and loses nothing."""

from __future__ import annotations

import datetime
import logging
import secrets
from smtplib import SMTPException
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import F
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation

from contest.jobs.queue import enqueue_job
from contest.models import AccountToken, Job, Mail, User
from contest.token_hashes import hash_token

logger = logging.getLogger(__name__)

LINKS = {
    Mail.Kind.CONFIRM: (AccountToken.Purpose.CONFIRM, "email_confirm", datetime.timedelta(days=3)),
    Mail.Kind.RESET: (AccountToken.Purpose.RESET, "password_reset_confirm", datetime.timedelta(hours=2)),
    Mail.Kind.CHANGE: (AccountToken.Purpose.CHANGE, "email_confirm", datetime.timedelta(days=1)),
}
GIVE_UP = datetime.timedelta(days=3)
KEEP = datetime.timedelta(days=30)
"""How long e-mails that were sent, and links that were used, are stored."""


def queue_mail(kind: Mail.Kind, user: User, *, to: str = "", facts: dict[str, Any] | None = None) -> Mail:
    """Write an e-mail in the caller's transaction; it is sent when that is committed."""
    mail = Mail.objects.create(
        user=user,
        kind=kind,
        to=to or user.email,
        language=user.language or translation.get_language() or settings.LANGUAGE_CODE,
        facts=facts or {},
        next_try_at=timezone.now() + _pause(0),
    )
    enqueue_job(Job.Kind.LETTER, payload={"mail": mail.pk})
    return mail


def deliver(mail_id: int) -> bool:
    """Try to send an e-mail. Where that fails it stays in the outbox, to be tried again later."""
    mail = Mail.objects.select_related("user").filter(pk=mail_id, sent_at=None).first()
    if mail is None:
        return False
    link = _make_link(mail)
    try:
        _compose(mail, link).send()
    except (OSError, SMTPException) as error:
        logger.warning("mail %s was not sent: %s", mail.pk, type(error).__name__)
        Mail.objects.filter(pk=mail.pk).update(
            tries=F("tries") + 1,
            error=f"{type(error).__name__}: {error}"[:300],
            next_try_at=timezone.now() + _pause(mail.tries + 1),
        )
        return False
    Mail.objects.filter(pk=mail.pk).update(tries=F("tries") + 1, error="", sent_at=timezone.now())
    _forget_old()
    return True


def retry_waiting_mail() -> int:
    """Have e-mails that are due tried again; after some days they are given up."""
    now = timezone.now()
    due = Mail.objects.filter(sent_at=None, next_try_at__lte=now, created_at__gt=now - GIVE_UP)
    queued = 0
    for mail in due.order_by("next_try_at")[:20]:
        taken = Mail.objects.filter(pk=mail.pk, sent_at=None, next_try_at=mail.next_try_at).update(
            next_try_at=now + _pause(mail.tries + 1)
        )
        if taken:
            enqueue_job(Job.Kind.LETTER, payload={"mail": mail.pk})
            queued += 1
    return queued


def _pause(tries: int) -> datetime.timedelta:
    return datetime.timedelta(minutes=min(60, 2**tries))


def _make_link(mail: Mail) -> str:
    """A new link for the e-mail's purpose. It is made here so that it exists only in the e-mail."""
    if mail.kind not in LINKS or mail.user is None:
        return ""
    purpose, route, lasts = LINKS[Mail.Kind(mail.kind)]
    token = secrets.token_urlsafe(32)
    AccountToken.objects.create(
        user=mail.user,
        purpose=purpose,
        email=mail.to,
        token_sha256=hash_token(token),
        expires_at=timezone.now() + lasts,
    )
    return settings.SITE_URL.rstrip("/") + reverse(route, args=[token])


def _compose(mail: Mail, link: str) -> EmailMessage:
    context = {"mail": mail, "name": mail.facts.get("name"), "link": link}
    context["site_url"] = settings.SITE_URL.rstrip("/")
    with translation.override(mail.language):
        subject = render_to_string(f"mails/{mail.kind}_subject.txt", context)
        body = render_to_string(f"mails/{mail.kind}.txt", context)
    return EmailMessage(" ".join(subject.split()), body.strip() + "\n", to=[mail.to])


def _forget_old() -> None:
    long_ago = timezone.now() - KEEP
    Mail.objects.filter(sent_at__lt=long_ago).delete()
    AccountToken.objects.filter(expires_at__lt=long_ago).delete()
