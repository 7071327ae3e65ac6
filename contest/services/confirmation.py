from __future__ import annotations

from django.conf import settings
from django.utils.translation import gettext as _

from contest.errors import Refused
from contest.models import User


def require_confirmed(user: User) -> None:
    if settings.MUST_CONFIRM_EMAIL and user.email_confirmed_at is None:
        raise Refused("email-unconfirmed", _("Confirm your e-mail address first: open the link we sent you."))
