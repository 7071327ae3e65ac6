from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager
from django.db import models
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from contest.models.look_key import LookKey
from contest.names.lookalikes import normalise_name
from contest.names.policy import PERSON
from contest.names.validation import clean_name


class UserManager(BaseUserManager["User"]):
    def create_user(self, username: str, email: str, password: str | None = None, **fields: Any) -> User:
        """``email_key`` is another key than the address, where that belongs to somebody else."""
        fields.setdefault("email_key", normalise_name(email))
        user = self.model(username=clean_name(username, PERSON), email=self.normalize_email(email), **fields)
        user.name_key = normalise_name(username)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def get_by_natural_key(self, username: str | None) -> User:
        return self.get(name_key=normalise_name(username or ""))


class User(AbstractBaseUser):
    """A person. They log in by `name_key`: « Admin » and "admin" are one name. `look_key` prevents two people
    from having names that look alike."""

    username = models.CharField(_("user name"), max_length=40)
    name_key = models.CharField(_("user name"), max_length=80, unique=True, editable=False)
    look_key = LookKey(_("user name"), of="username", unique=True)
    email = models.EmailField(_("e-mail"))
    email_key = models.CharField(_("e-mail"), max_length=254, unique=True, editable=False)
    is_staff = models.BooleanField(default=False, help_text=_("May create contests."))
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)
    alias = models.CharField(_("public name"), max_length=40, blank=True)
    alias_key = LookKey(_("public name"), of="alias", unique=True, null=True, default=None)
    language = models.CharField(_("language"), max_length=5, blank=True)
    time_zone = models.CharField(_("time zone"), max_length=60, blank=True)
    email_confirmed_at = models.DateTimeField(null=True, blank=True)
    session_salt = models.CharField(max_length=22, blank=True, editable=False)
    deleted_at = models.DateTimeField(null=True, blank=True)
    has_public_profile = models.BooleanField(
        default=False,
        db_default=False,
        help_text=_("Everybody sees in which teams this person plays and played."),
    )

    objects = UserManager()
    USERNAME_FIELD = "name_key"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS = ["username", "email"]

    def __str__(self) -> str:
        return self.shown_name

    @property
    def shown_name(self) -> str:
        """What other people see: the alias where there is one, else the name of the log-in."""
        return self.alias or self.username

    def _get_session_auth_hash(self, secret: str | bytes | None = None) -> str:
        """As Django's, and a salt: changing it logs out every session of this person at once."""
        salt = "django.contrib.auth.models.AbstractBaseUser.get_session_auth_hash"
        hashed = salted_hmac(salt, self.password + self.session_salt, secret=secret, algorithm="sha256")
        return hashed.hexdigest()
