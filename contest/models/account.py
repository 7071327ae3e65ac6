"""What an account needs besides the person: links by mail, the outbox, log-ins, identities, attempts."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class AccountToken(models.Model):
    """A link that was sent by mail: for one purpose, one use and a limited time. Only its hash is stored."""

    class Purpose(models.TextChoices):
        CONFIRM = "confirm", _("confirm an address")
        RESET = "reset", _("set a new password")
        CHANGE = "change", _("change the address")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    purpose = models.CharField(max_length=10, choices=Purpose)
    email = models.EmailField(help_text=_("The address to which it was sent."))
    token_sha256 = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(purpose__in=["confirm", "reset", "change"]), name="account_token_purpose"
            )
        ]

    def __str__(self) -> str:
        return f"{self.purpose} · {self.user}"

    @property
    def is_usable(self) -> bool:
        return self.used_at is None and timezone.now() < self.expires_at


class Mail(models.Model):
    """An e-mail to be sent. It holds no secret: links are made at the moment of sending."""

    class Kind(models.TextChoices):
        CONFIRM = "confirm", _("confirm an address")
        RESET = "reset", _("set a new password")
        CHANGE = "change", _("change the address")
        CHANGED = "changed", _("the address was changed")
        PASSWORD = "password", _("the password was changed")
        CAPTAIN = "captain", _("you are captain now")
        DELETED = "deleted", _("the account was deleted")
        GUESSED = "guessed", _("somebody guesses your password")
        KNOWN = "known", _("you have an account already")
        ANSWER = "answer", _("a question is answered")
        REMINDER = "reminder", _("a phase ends soon")
        SCORED = "scored", _("an entry is judged")
        OVERTAKEN = "overtaken", _("a place is lost")

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="mails"
    )
    kind = models.CharField(max_length=10, choices=Kind)
    to = models.EmailField()
    language = models.CharField(max_length=5)
    facts = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    next_try_at = models.DateTimeField()
    tries = models.PositiveSmallIntegerField(default=0)
    error = models.CharField(max_length=300, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["next_try_at"], condition=Q(sent_at__isnull=True), name="mail_to_send")
        ]

    def __str__(self) -> str:
        return f"{self.kind} · {self.to}"


class LogIn(models.Model):
    """A browser in which somebody is logged in, as they recognise it."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="log_ins")
    session_key = models.CharField(max_length=40, unique=True)
    address = models.CharField(max_length=45, blank=True)
    browser = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.user} · {self.created_at:%Y-%m-%d}"


class Identity(models.Model):
    """Who somebody is at an OpenID Connect provider. Issuer and subject name them together; an e-mail address
    that a provider reports never does."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="identities")
    issuer = models.CharField(max_length=255)
    subject = models.CharField(max_length=255)
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["issuer", "subject"], name="identity_once")]

    def __str__(self) -> str:
        return f"{self.user} · {self.issuer}"


class Knock(models.Model):
    """One attempt at something with a rate limit. Who tried is stored as a hash, for a day."""

    door = models.CharField(max_length=20)
    who_sha256 = models.CharField(max_length=64)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [models.Index(fields=["door", "who_sha256", "at"], name="knock_by_who")]

    def __str__(self) -> str:
        return f"{self.door} · {self.at:%Y-%m-%d}"
