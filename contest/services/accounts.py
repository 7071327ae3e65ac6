from __future__ import annotations

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from contest.errors import Refused
from contest.models import User
from contest.services import audit


def sign_up(username: str, email: str, password: str) -> User:
    """Make an account. The database decides whether the name is free, so two at once cannot both win."""
    try:
        with transaction.atomic():
            user = User.objects.create_user(username, email, password)
            audit.record("user.signed_up", user, contest=None, actor=user)
    except IntegrityError:
        raise Refused("name-taken", _("This user name or e-mail address is already in use.")) from None
    return user
