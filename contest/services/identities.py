"""Who people are elsewhere: identities of OpenID Connect providers, linked to an account and unlinked."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from contest.errors import Refused
from contest.models import Identity, User
from contest.names.lookalikes import look_of, normalise_name
from contest.names.policy import PERSON
from contest.names.validation import clean_name
from contest.records import audit
from contest.records.locks import lock_person, lock_words

MAX_IDENTITIES = 20


def use_identity(issuer: str, subject: str) -> User | None:
    """Whose identity this is, if anybody's; it is noted that they use it."""
    found = Identity.objects.filter(issuer=issuer, subject=subject).select_related("user").first()
    if found is None:
        return None
    if not found.user.is_active:
        raise Refused("account-closed", _("This account is closed."))
    Identity.objects.filter(pk=found.pk).update(last_used_at=timezone.now())
    return found.user


def words_of(issuer: str, subject: str) -> str:
    """What to lock before an identity is given to somebody."""
    return f"identity {subject} of {issuer}"


def add_identity(user: User, issuer: str, subject: str) -> None:
    """Give an identity to a person; call it in a transaction, with its words locked. The log names where it
    is from, not which one it is."""
    taken = Identity.objects.filter(issuer=issuer, subject=subject).first()
    if taken is not None:
        if taken.user_id == user.pk:
            return
        raise Refused("identity-taken", _("This identity is linked to another account of this site."))
    Identity.objects.create(user=user, issuer=issuer, subject=subject)
    audit.record("user.linked_identity", user, contest=None, actor=user, after={"issuer": issuer})


def link_identity(user: User, issuer: str, subject: str) -> None:
    with transaction.atomic():
        lock_words(words_of(issuer, subject))
        lock_person(user.pk)
        if Identity.objects.filter(user=user).count() >= MAX_IDENTITIES:
            raise Refused(
                "too-many-identities",
                _("You have linked %(most)s identities already; unlink one first.")
                % {"most": MAX_IDENTITIES},
            )
        add_identity(user, issuer, subject)


def unlink_identity(identity: Identity, issuers: Collection[str]) -> None:
    """Take an identity away, unless it is the last way in; ``issuers`` are those that the site still asks."""
    with transaction.atomic():
        user = lock_person(identity.user_id)
        others = Identity.objects.filter(user=user, issuer__in=issuers).exclude(pk=identity.pk)
        if not user.has_usable_password() and not others.exists():
            raise Refused(
                "last-way-in",
                _("This is the only way into your account. Set a password or link another identity first."),
            )
        _drop(identity, user)


def drop_identities(user: User) -> None:
    """Take every identity away; call it with the person locked, where another way in exists."""
    for identity in Identity.objects.filter(user=user):
        _drop(identity, user)


def _drop(identity: Identity, user: User) -> None:
    if Identity.objects.filter(pk=identity.pk).delete()[0]:
        before = {"issuer": identity.issuer}
        audit.record("user.unlinked_identity", user, contest=None, actor=user, before=before)


def suggest_name(hints: Iterable[str]) -> str:
    """A user name that is allowed and free, made of what a provider calls somebody; nothing if none is."""
    for hint in hints:
        try:
            name = clean_name(hint, PERSON)
        except ValidationError:
            continue
        for candidate in (name, *(f"{name}{number}" for number in range(2, 10))):
            if len(candidate) <= PERSON.longest and _is_free(candidate):
                return candidate
    return ""


def _is_free(name: str) -> bool:
    look = look_of(name)
    same = Q(name_key=normalise_name(name)) | Q(look_key=look) | Q(alias_key=look)
    return not User.objects.filter(same).exists()
