from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from contest.models.game_package import GamePackage
from contest.models.message_field import MessageField
from contest.models.round import Round


class Trial(models.Model):
    """Another version of a round's game, tried on all entries and answers beside the one in force.

    ``results`` hold what every entry and run is and would be; ``differences`` are those that change, and the
    places. Nothing of the round changes before it is made live.
    """

    class State(models.TextChoices):
        RUNNING = "running", _("being tried")
        READY = "ready", _("to be decided")
        FAILED = "failed", _("could not be tried")
        APPLIED = "applied", _("live")
        DISCARDED = "discarded", _("discarded")

    OPEN = (State.RUNNING, State.READY, State.FAILED)

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="trials")
    game = models.ForeignKey(GamePackage, on_delete=models.PROTECT, related_name="trials")
    game_before = models.ForeignKey(GamePackage, on_delete=models.PROTECT, related_name="+")
    state = models.CharField(max_length=10, choices=State, default=State.RUNNING)
    results = models.JSONField(default=dict, blank=True)
    differences = models.JSONField(default=dict, blank=True)
    why_failed = MessageField(blank=True, default="")
    log = models.TextField(blank=True, default="", help_text="What the game wrote, for organisers only.")
    reason = models.CharField(max_length=300, blank=True, default="")
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
                fields=["round"], condition=Q(state__in=["running", "ready", "failed"]), name="one_open_trial"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["running", "ready", "failed", "applied", "discarded"]),
                name="trial_state",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.round} · {self.game}"
