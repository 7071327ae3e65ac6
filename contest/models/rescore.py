from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from contest.models.round import Round


class Rescore(models.Model):
    """A change of a round's limits and what it would do, shown before it is applied or discarded."""

    class State(models.TextChoices):
        MEASURING = "measuring", _("being measured")
        READY = "ready", _("to be decided")
        APPLIED = "applied", _("applied")
        DISCARDED = "discarded", _("discarded")

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="rescores")
    state = models.CharField(max_length=10, choices=State, default=State.MEASURING)
    limits = models.JSONField(default=list)
    limits_before = models.JSONField(default=list)
    preview = models.JSONField(default=list)
    reason = models.CharField(max_length=300)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["round"], condition=Q(state__in=["measuring", "ready"]), name="one_open_rescore"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["measuring", "ready", "applied", "discarded"]), name="rescore_state"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.round} · {self.created_at:%Y-%m-%d %H:%M}"
