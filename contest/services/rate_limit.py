"""Rate limits: how often each visitor or name may try something within an hour."""

from __future__ import annotations

import datetime
import hashlib
import hmac

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from contest.errors import Refused
from contest.models import Knock
from contest.records.locks import lock_words

HOUR = datetime.timedelta(hours=1)


def limit_tries(door: str, *who: str, limit: int | None = None) -> None:
    """Count an attempt for each identity behind it, and refuse it where one of them tried too often."""
    now = timezone.now()
    most = limit or settings.KNOCKS_AN_HOUR
    hashes = [_hash(name) for name in who if name]
    with transaction.atomic():
        lock_words(*(f"{door} {hashed}" for hashed in hashes))
        Knock.objects.filter(at__lt=now - 24 * HOUR).delete()
        for name in filter(None, who):
            if tries_within(door, name, HOUR) >= most:
                raise Refused("too-many-tries", _("Too many attempts. Please wait an hour."))
        Knock.objects.bulk_create(Knock(door=door, who_sha256=hashed, at=now) for hashed in hashes)


def count_try(door: str, who: str) -> None:
    """Count an attempt without refusing it."""
    Knock.objects.create(door=door, who_sha256=_hash(who))


def tries_within(door: str, who: str, within: datetime.timedelta) -> int:
    since = timezone.now() - within
    return Knock.objects.filter(door=door, who_sha256=_hash(who), at__gt=since).count()


def _hash(who: str) -> str:
    """Keyed, because addresses are few enough to be guessed from a plain hash."""
    return hmac.new(settings.SECRET_KEY.encode(), who.encode(), hashlib.sha256).hexdigest()
