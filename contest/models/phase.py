from __future__ import annotations

import datetime

from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from contest.models.round import Round


class Phase(models.Model):
    """A period in which something is allowed. The start belongs to it, the end does not."""

    class Kind(models.TextChoices):
        REGISTRATION = "registration", _("Registration")
        ANONYMISE = "anonymise", _("Anonymise")
        HANDOVER = "handover", _("Hand-over")
        ATTACK = "attack", _("Attack")
        RESULTS = "results", _("Results")

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="phases")
    kind = models.CharField(max_length=20, choices=Kind)
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    opened_at = models.DateTimeField(null=True, blank=True, help_text=_("When the clock opened it."))
    closed_at = models.DateTimeField(null=True, blank=True, help_text=_("When the clock closed it."))

    class Meta:
        ordering = ["starts_at", "id"]
        constraints = [
            models.UniqueConstraint(fields=["round", "kind"], name="phase_once"),
            models.CheckConstraint(condition=Q(ends_at__gt=F("starts_at")), name="phase_has_length"),
            models.CheckConstraint(
                condition=Q(kind__in=["registration", "anonymise", "handover", "attack", "results"]),
                name="phase_kind",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.round} · {self.get_kind_display()}"

    def is_open_at(self, moment: datetime.datetime) -> bool:
        return self.starts_at <= moment < self.ends_at

    @property
    def is_open(self) -> bool:
        return self.is_open_at(timezone.now())

    @property
    def is_past(self) -> bool:
        return self.ends_at <= timezone.now()
