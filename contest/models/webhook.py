from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from contest.models.contest import Contest
from contest.models.team import Team


class Webhook(models.Model):
    """An address to which news of a contest is sent: the organisers', or a team's.

    The secret that signs deliveries is derived from the installation's key and `salt`, and not stored.
    """

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="webhooks")
    team = models.ForeignKey(Team, null=True, blank=True, on_delete=models.CASCADE, related_name="webhooks")
    url = models.CharField(_("address"), max_length=500)
    salt = models.CharField(max_length=32)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    since = models.PositiveBigIntegerField(default=0, help_text=_("The last event before it was registered."))
    after = models.PositiveBigIntegerField(default=0, help_text=_("The last event that was looked at."))
    failures = models.PositiveIntegerField(
        default=0, help_text=_("Consecutive deliveries that were given up.")
    )
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_because = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.url


class Delivery(models.Model):
    """One event on its way to one address."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        DONE = "done", _("delivered")
        FAILED = "failed", _("given up")

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    event = models.PositiveBigIntegerField()
    kind = models.CharField(max_length=30)
    body = models.TextField()
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    tries = models.PositiveSmallIntegerField(default=0)
    next_try_at = models.DateTimeField()
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    reason = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["state", "next_try_at"], name="delivery_by_time")]
        constraints = [
            models.UniqueConstraint(fields=["webhook", "event"], name="delivery_once"),
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "done", "failed"]), name="delivery_state"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.event} → {self.webhook}"
