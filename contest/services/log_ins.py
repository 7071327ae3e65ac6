"""In which browsers somebody is logged in, and how to end that."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

from django.conf import settings
from django.contrib.auth import login, update_session_auth_hash
from django.contrib.sessions.models import Session
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone

from contest.client_address import client_address, client_network
from contest.models import LogIn, User
from contest.records import audit
from contest.records.locks import lock_words

BACKEND = "django.contrib.auth.backends.ModelBackend"
SessionStore = import_module(settings.SESSION_ENGINE).SessionStore


@contextmanager
def in_turn(request: HttpRequest) -> Iterator[None]:
    """Tries from one address pass one after the other: a failure counts before the next.

    Tries with one name do not wait for each other, or a crowd of guessers would keep the owner waiting.
    """
    with transaction.atomic():
        lock_words(f"log-in from {client_network(request)}")
        yield


def begin(request: HttpRequest, user: User) -> None:
    """Log somebody in and record the browser."""
    login(request, user, backend=BACKEND)
    remember(request, user)


def remember(request: HttpRequest, user: User) -> None:
    if not request.session.session_key:
        request.session.save()
    LogIn.objects.update_or_create(
        session_key=request.session.session_key,
        defaults={
            "user": user,
            "address": client_address(request),
            "browser": request.headers.get("User-Agent", "")[:200],
        },
    )


def store(request: HttpRequest) -> None:
    """Write the session now: the next request of this browser, if it comes meanwhile, must know of it."""
    request.session.save()


def of_user(user: User) -> list[LogIn]:
    """The browsers whose sessions still live."""
    alive = Session.objects.filter(expire_date__gt=timezone.now()).values("session_key")
    return list(LogIn.objects.filter(user=user, session_key__in=alive))


def end(log_in: LogIn) -> None:
    """Log out one browser."""
    with transaction.atomic():
        SessionStore(log_in.session_key).delete()
        LogIn.objects.filter(pk=log_in.pk).delete()
        audit.record("user.ended_session", log_in.user, contest=None, actor=log_in.user)


def end_others(request: HttpRequest, user: User) -> None:
    """Log out every browser but this one, also those without a record."""
    with transaction.atomic():
        user.session_salt = secrets.token_urlsafe(12)
        user.save(update_fields=["session_salt"])
        LogIn.objects.filter(user=user).delete()
        audit.record("user.ended_other_sessions", user, contest=None, actor=user)
    stay(request, user)


def stay(request: HttpRequest, user: User) -> None:
    """Keep this browser logged in after a change that ends all sessions; its key is a new one."""
    LogIn.objects.filter(session_key=request.session.session_key).delete()
    update_session_auth_hash(request, user)
    remember(request, user)
