from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class Heartbeat(models.Model):
    """A running process: it writes here every few seconds, and is gone once it stops doing so."""

    class Kind(models.TextChoices):
        WORKER = "worker", _("worker")
        SWEEPER = "sweeper", _("sweeper")

    name = models.CharField(max_length=120, unique=True)
    kind = models.CharField(max_length=10, choices=Kind)
    queues = models.JSONField(default=list, blank=True)
    slots = models.PositiveSmallIntegerField(
        default=1, db_default=1, help_text=_("Jobs that it does side by side.")
    )
    version = models.CharField(max_length=40, blank=True)
    release = models.PositiveIntegerField(default=1)
    counted_by = models.CharField(max_length=10, blank=True, default="", db_default="")
    """Which control groups count the programs that this worker runs; empty where it runs none."""
    started_at = models.DateTimeField()
    beat_at = models.DateTimeField()

    class Meta:
        ordering = ["kind", "name"]

    def __str__(self) -> str:
        return self.name
