from __future__ import annotations

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from contest.errors import Refused
from contest.models import AccountToken, Mail, User
from contest.models.names import clean_name, normalise_name
from contest.services import audit
from contest.services.locks import lock_person
from contest.services.post import post
from contest.services.teams import hash_token


def sign_up(username: str, email: str, password: str, language: str = "") -> User:
    """Make an account and write the letter that confirms its address.

    The database decides whether the name is free, so two at once cannot both win.
    """
    try:
        with transaction.atomic():
            user = User.objects.create_user(username, email, password, language=language)
            audit.record("user.signed_up", user, contest=None, actor=user)
            post(Mail.Kind.CONFIRM, user, facts={"name": user.username})
    except IntegrityError:
        raise Refused("name-taken", _("This user name or e-mail address is already in use.")) from None
    return user


def ask_to_confirm(user: User) -> None:
    """Send the letter of the sign-up once more."""
    with transaction.atomic():
        post(Mail.Kind.CONFIRM, user, facts={"name": user.username})


def ask_for_reset(email: str) -> None:
    """Write a letter to whoever has this address. Whether somebody has it is told to nobody."""
    user = User.objects.filter(email_key=normalise_name(email), is_active=True).first()
    if user is not None:
        with transaction.atomic():
            post(Mail.Kind.RESET, user, facts={"name": user.username})
            audit.record("user.asked_for_reset", user, contest=None)


def ask_to_change_email(user: User, email: str) -> None:
    """Write to the new address; nothing changes before its link was opened."""
    if User.objects.filter(email_key=normalise_name(email)).exists():
        raise Refused("name-taken", _("This user name or e-mail address is already in use."))
    with transaction.atomic():
        post(Mail.Kind.CHANGE, user, to=email, facts={"name": user.username})
        audit.record("user.asked_to_change_email", user, contest=None, actor=user)


def find_link(token: str, *purposes: AccountToken.Purpose) -> AccountToken | None:
    """The link that a letter held, if it is for this purpose and may still be used."""
    found = AccountToken.objects.select_related("user").filter(
        token_sha256=hash_token(token), purpose__in=purposes, user__is_active=True
    )
    link = found.first()
    return link if link is not None and link.is_usable else None


def confirm_email(link: AccountToken) -> User:
    """Take the address of a link as the person's own, once. The old address is told where it differs."""
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
                post(Mail.Kind.CHANGED, user, to=old, facts={"name": user.username})
    except IntegrityError:
        raise Refused("name-taken", _("This user name or e-mail address is already in use.")) from None
    return user


def reset_password(link: AccountToken, password: str) -> User:
    """Set a new password by a link, once; every session of the person ends with it."""
    user = link.user
    with transaction.atomic():
        lock_person(user.pk)
        _use(link)
        user.set_password(password)
        fields = ["password"]
        if normalise_name(link.email) == user.email_key:
            user.email_confirmed_at = user.email_confirmed_at or timezone.now()
            fields.append("email_confirmed_at")
        user.save(update_fields=fields)
        _void_links(user)
        audit.record("user.reset_password", user, contest=None, actor=user)
        post(Mail.Kind.PASSWORD, user, facts={"name": user.username})
    return user


def change_password(user: User, password: str) -> None:
    with transaction.atomic():
        user.set_password(password)
        user.save(update_fields=["password"])
        _void_links(user)
        audit.record("user.changed_password", user, contest=None, actor=user)
        post(Mail.Kind.PASSWORD, user, facts={"name": user.username})


def change_profile(user: User, *, alias: str, language: str, time_zone: str) -> None:
    """Change how somebody is shown and addressed. The log says what was changed, not to what."""
    chosen = {"alias": clean_name(alias) if alias else "", "language": language, "time_zone": time_zone}
    changed = [name for name, value in chosen.items() if getattr(user, name) != value]
    if not changed:
        return
    with transaction.atomic():
        for name in changed:
            setattr(user, name, chosen[name])
        user.save(update_fields=changed)
        audit.record("user.changed_profile", user, contest=None, actor=user, after={"changed": changed})


def choose_language(user: User, language: str) -> None:
    """Remember the language that somebody switched to."""
    change_profile(user, alias=user.alias, language=language, time_zone=user.time_zone)


def _use(link: AccountToken) -> None:
    now = timezone.now()
    used = AccountToken.objects.filter(pk=link.pk, used_at=None, expires_at__gt=now).update(used_at=now)
    if not used:
        raise Refused("link-used", _("This link was used before or is too old."))


def _void_links(user: User) -> None:
    """Links that were sent before the password changed may lie in the hands of somebody else."""
    doubtful = (AccountToken.Purpose.RESET, AccountToken.Purpose.CHANGE)
    AccountToken.objects.filter(user=user, purpose__in=doubtful, used_at=None).update(used_at=timezone.now())
