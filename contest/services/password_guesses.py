"""Wrong passwords: who has to wait, and when the owner of an account is notified.

The guesser has to wait; the owner never has to. So an address is slowed down, alone and together with a
name, and a name never by itself.
"""

from __future__ import annotations

import datetime
from typing import Any

from axes.handlers.proxy import AxesProxyHandler
from axes.models import AccessAttempt
from django.conf import settings
from django.db import transaction
from django.db.models import Sum
from django.http import HttpRequest
from django.utils import timezone

from contest.client_address import client_name, client_network, network_of
from contest.models import LogIn, Mail, User
from contest.outside.outbox import queue_mail
from contest.records.locks import lock_words
from contest.services.rate_limit import HOUR, count_try, tries_within

LETTER_AFTER = 20
DAY = datetime.timedelta(days=1)


def may_try(request: HttpRequest) -> bool:
    """Whether this address may try a password for the name it gives."""
    recent = AccessAttempt.objects.filter(
        ip_address=client_network(request), attempt_time__gt=timezone.now() - settings.AXES_COOLOFF_TIME
    )
    failures = recent.aggregate(total=Sum("failures_since_start"))["total"] or 0
    if failures >= settings.LOGIN_FAILURES_PER_ADDRESS:
        return False
    return bool(AxesProxyHandler.is_allowed(request, {"username": client_name(request)}))


def failure_limit(request: HttpRequest, credentials: dict[str, Any] | None = None) -> int:
    """How often an address may fail with one name: less often where the name is guessed at from everywhere
    and its owner has not logged in from this address."""
    name = client_name(request, credentials)
    tried: int = tries_within("wrong-password", name, HOUR)
    if tried < settings.LOGIN_FAILURES_PER_NAME or _is_at_home(name, client_network(request)):
        return int(settings.LOGIN_FAILURES)
    return min(settings.LOGIN_FAILURES_NARROWED, settings.LOGIN_FAILURES)


def _is_at_home(name: str, network: str) -> bool:
    addresses = LogIn.objects.filter(user__name_key=name).values_list("address", flat=True).distinct()
    return any(network_of(address) == network for address in addresses)


def note_wrong_password(
    sender: Any, credentials: dict[str, Any], request: HttpRequest | None = None, **_facts: Any
) -> None:
    """Count a wrong password and, at most once per day, write to the owner of a name that got many."""
    if request is None:
        return
    name = client_name(request, credentials)
    with transaction.atomic():
        lock_words(f"wrong passwords of {name}")
        count_try("wrong-password", name)
        tried = tries_within("wrong-password", name, DAY)
        if tried >= LETTER_AFTER and not tries_within("guesses-letter", name, DAY):
            count_try("guesses-letter", name)
            _write_to_owner(name, tried)


def _write_to_owner(name: str, tried: int) -> None:
    owner = User.objects.filter(name_key=name, is_active=True).first()
    # Somebody who signed up with the address of another must not have that person written to every day.
    if owner is not None and (owner.email_confirmed_at or not settings.MUST_CONFIRM_EMAIL):
        queue_mail(Mail.Kind.GUESSED, owner, facts={"name": owner.username, "tried": tried})
