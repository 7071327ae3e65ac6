from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager
from django.db import models
from django.utils.translation import gettext_lazy as _

from contest.models.names import clean_name, normalise_name


class UserManager(BaseUserManager["User"]):
    def create_user(self, username: str, email: str, password: str | None = None, **fields: Any) -> User:
        user = self.model(username=clean_name(username), email=self.normalize_email(email), **fields)
        user.name_key = normalise_name(username)
        user.email_key = normalise_name(email)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def get_by_natural_key(self, username: str | None) -> User:
        return self.get(name_key=normalise_name(username or ""))


class User(AbstractBaseUser):
    """A person. `name_key` is what makes the name unique: « Admin » and "admin" are one name."""

    username = models.CharField(_("user name"), max_length=40)
    name_key = models.CharField(max_length=80, unique=True, editable=False)
    email = models.EmailField(_("e-mail"))
    email_key = models.CharField(max_length=254, unique=True, editable=False)
    is_staff = models.BooleanField(default=False, help_text=_("May create contests."))
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = UserManager()
    USERNAME_FIELD = "name_key"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS = ["username", "email"]

    def __str__(self) -> str:
        return self.username
