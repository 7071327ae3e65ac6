from __future__ import annotations

import datetime

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from contest.models.commitment import Commitment
from contest.models.entry import Entry
from contest.models.message_field import MessageField
from contest.models.round import Round

RECEIVED_WITHIN = datetime.timedelta(minutes=1)
"""An entry is handed in by the transaction that ends its job, so that it is received right after that."""


class HouseOrder(models.Model):
    """A house entry that somebody asked for: how it is to be made, and what became of it.

    Anybody who knows its seed can make the entry again, truth and all. A seed that was drawn is in the
    commitment alone, one that was named in a bundle is in this row; attack machines may read neither.
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        MADE = "made", _("made")
        FAILED = "failed", _("failed")

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="house_orders")
    method = models.CharField(max_length=40)
    parameters = models.JSONField(default=dict, blank=True)
    seed = models.PositiveBigIntegerField(null=True, blank=True, help_text=_("As it was named, not drawn."))
    commitment = models.OneToOneField(
        Commitment, null=True, blank=True, on_delete=models.PROTECT, related_name="house_order"
    )
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    requested_at = models.DateTimeField()
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    reason = MessageField(blank=True, help_text=_("Why no entry was made."))
    entry = models.OneToOneField(
        Entry, null=True, blank=True, on_delete=models.SET_NULL, related_name="house_order"
    )

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(condition=Q(state__in=["waiting", "made", "failed"]), name="order_state"),
            models.CheckConstraint(condition=Q(entry__isnull=True) | Q(state="made"), name="order_made"),
            models.CheckConstraint(
                condition=Q(seed__isnull=True) | Q(commitment__isnull=True), name="order_has_one_seed"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.round} · {self.method}"

    @property
    def team_name(self) -> str:
        """The name under which the house plays it: entries made the same way belong together."""
        values = ", ".join(f"{name}={value}" for name, value in sorted(self.parameters.items()))
        return f"House · {self.method}" + (f" ({values})" if values else "")
