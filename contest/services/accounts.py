from __future__ import annotations

import datetime
import secrets
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from contest.errors import Refused
from contest.models import AccountToken, Mail, User
from contest.names.lookalikes import look_of, normalise_name
from contest.names.policy import PERSON
from contest.names.validation import clean_name
from contest.outside.outbox import queue_mail
from contest.records import audit
from contest.records.locks import lock_person, lock_words
from contest.services.identities import add_identity, drop_identities, words_of
from contest.services.rate_limit import count_try, tries_within
from contest.services.tokens import revoke_all
from contest.token_hashes import hash_token

DAY = datetime.timedelta(days=1)
KNOWN_LETTERS = 3


Elsewhere = tuple[str, str]
"""Issuer and subject of an identity at an OpenID Connect provider."""


def sign_up(
    username: str, email: str, password: str | None, language: str = "", identity: Elsewhere | None = None
) -> User:
    """Create an account, with a password or an identity, and write the e-mail that confirms its address.

    Only its owner learns that an address is taken: the account is created either way, without the address
    where it belongs to another, and the owner gets an e-mail. The database decides whether the name is free,
    so two at once cannot both win.
    """
    for _once_more in range(2):
        try:
            return _sign_up(username, email, password, language, identity)
        except IntegrityError:
            same = Q(name_key=normalise_name(username)) | Q(look_key=look_of(username))
            if User.objects.filter(same).exists():
                raise _taken() from None
            # Somebody took the address at the same moment: it is known now.
    raise _taken()


def _sign_up(
    username: str, email: str, password: str | None, language: str, identity: Elsewhere | None
) -> User:
    with transaction.atomic():
        lock_words(f"name {look_of(username)}", *([words_of(*identity)] if identity else []))
        if User.objects.filter(alias_key=look_of(username)).exists():
            raise _taken()
        is_known = User.objects.filter(email_key=normalise_name(email)).exists()
        keys = {"email_key": f"of another {secrets.token_hex(16)}"} if is_known else {}
        user = User.objects.create_user(username, email, password, language=language, **keys)
        audit.record("user.signed_up", user, contest=None, actor=user)
        if identity:
            add_identity(user, *identity)
        ask_to_confirm(user)
    return user


def ask_to_confirm(user: User) -> None:
    """Write the e-mail for a sign-up; where the address belongs to another, that person is informed."""
    with transaction.atomic():
        if not _tell_owner(user, user.email):
            queue_mail(Mail.Kind.CONFIRM, user, facts={"name": user.username})


def _tell_owner(user: User, email: str) -> bool:
    """Whether an address belongs to another person, who then gets an e-mail, at most a few times per day."""
    owner = User.objects.filter(email_key=normalise_name(email)).exclude(pk=user.pk).first()
    if owner is None:
        return False
    if owner.is_active and tries_within("known-letter", owner.email_key, DAY) < KNOWN_LETTERS:
        count_try("known-letter", owner.email_key)
        queue_mail(Mail.Kind.KNOWN, owner, facts={"name": owner.username})
    return True


def ask_for_reset(email: str) -> None:
    """Write an e-mail to the owner of this address. Whether there is one is not revealed."""
    user = User.objects.filter(email_key=normalise_name(email), is_active=True).first()
    if user is not None:
        with transaction.atomic():
            queue_mail(Mail.Kind.RESET, user, facts={"name": user.username})
            audit.record("user.asked_for_reset", user, contest=None)


def ask_to_change_email(user: User, email: str) -> None:
    """Write to the new address; nothing changes before its link was opened. As with a sign-up, only the
    owner of an address learns that it is taken."""
    with transaction.atomic():
        if not _tell_owner(user, email):
            queue_mail(Mail.Kind.CHANGE, user, to=email, facts={"name": user.username})
        audit.record("user.asked_to_change_email", user, contest=None, actor=user)


def find_link(token: str, *purposes: AccountToken.Purpose) -> AccountToken | None:
    """The link of an e-mail, if it is for this purpose and may still be used."""
    found = AccountToken.objects.select_related("user").filter(
        token_sha256=hash_token(token), purpose__in=purposes, user__is_active=True
    )
    link = found.first()
    return link if link is not None and link.is_usable else None


def confirm_email(link: AccountToken) -> User:
    """Take the address of a link as the person's own, once. The old address is notified where it differs."""
    user = link.user
    try:
        with transaction.atomic():
            lock_person(user.pk)
            _use(link)
            old = user.email
            user.email = User.objects.normalize_email(link.email)
            user.email_key = normalise_name(link.email)
            user.email_confirmed_at = timezone.now()
            user.save(update_fields=["email", "email_key", "email_confirmed_at"])
            audit.record("user.confirmed_email", user, contest=None, actor=user)
            if normalise_name(old) != user.email_key:
                queue_mail(Mail.Kind.CHANGED, user, to=old, facts={"name": user.username})
    except IntegrityError:
        raise Refused("name-taken", _("This e-mail address is already in use.")) from None
    return user


def reset_password(link: AccountToken, password: str) -> User:
    """Set a new password by a link, once; every session and token of the person ends with it."""
    user = link.user
    with transaction.atomic():
        lock_person(user.pk)
        _use(link)
        if user.email_confirmed_at is None:
            # Whoever made the account may not have been the owner of the address, who comes only now.
            drop_identities(user)
        user.set_password(password)
        fields = ["password"]
        if normalise_name(link.email) == user.email_key:
            user.email_confirmed_at = user.email_confirmed_at or timezone.now()
            fields.append("email_confirmed_at")
        user.save(update_fields=fields)
        _void_links(user)
        revoke_all(user)
        audit.record("user.reset_password", user, contest=None, actor=user)
        queue_mail(Mail.Kind.PASSWORD, user, facts={"name": user.username})
    return user


def change_password(user: User, password: str) -> None:
    """A password may be changed because somebody else knows it: tokens made with it end, too."""
    with transaction.atomic():
        lock_person(user.pk)
        user.set_password(password)
        user.save(update_fields=["password"])
        _void_links(user)
        revoke_all(user)
        audit.record("user.changed_password", user, contest=None, actor=user)
        queue_mail(Mail.Kind.PASSWORD, user, facts={"name": user.username})


def change_profile(
    user: User, *, alias: str, language: str, time_zone: str, has_public_profile: bool = False
) -> None:
    """Change how somebody is shown and addressed. The log says what was changed, not to what."""
    shown = clean_name(alias, PERSON) if alias and alias != user.alias else alias
    chosen: dict[str, Any] = {"alias": shown, "language": language, "time_zone": time_zone}
    chosen["has_public_profile"] = has_public_profile
    changed = [name for name, value in chosen.items() if getattr(user, name) != value]
    if not changed:
        return
    with transaction.atomic():
        keys = _claim_alias(user, shown) if "alias" in changed else {}
        for name, value in {**chosen, **keys}.items():
            setattr(user, name, value)
        user.save(update_fields=[*changed, *keys])
        audit.record("user.changed_profile", user, contest=None, actor=user, after={"changed": changed})


def _claim_alias(user: User, alias: str) -> dict[str, str | None]:
    """The key of a public name, which looks like nobody else's, unless it is the person's own user name."""
    look = look_of(alias) if alias else None
    if look is not None:
        lock_words(f"name {look}")
        others = User.objects.exclude(pk=user.pk)
        if others.filter(Q(look_key=look) | Q(alias_key=look) | Q(name_key=normalise_name(alias))).exists():
            raise _taken()
    return {"alias_key": look}


def _taken() -> Refused:
    return Refused("name-taken", _("This name is already in use, or one that looks like it."))


def choose_language(user: User, language: str) -> None:
    """Remember the language that somebody switched to."""
    change_profile(user, alias=user.alias, language=language, time_zone=user.time_zone)


def _use(link: AccountToken) -> None:
    now = timezone.now()
    used = AccountToken.objects.filter(pk=link.pk, used_at=None, expires_at__gt=now).update(used_at=now)
    if not used:
        raise Refused("link-used", _("This link was used before or is too old."))


def _void_links(user: User) -> None:
    """Links that were sent before the password changed may be in somebody else's hands."""
    doubtful = (AccountToken.Purpose.RESET, AccountToken.Purpose.CHANGE)
    AccountToken.objects.filter(user=user, purpose__in=doubtful, used_at=None).update(used_at=timezone.now())
