from __future__ import annotations

from django.db import models

from contest.models.phase import Phase


class Reminder(models.Model):
    """A reminder that was sent before the end of a phase. Its row is written with the notices themselves, so
    that nobody is reminded twice; a phase that got another end is reminded of again."""

    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="reminders")
    hours = models.PositiveSmallIntegerField()
    ends_at = models.DateTimeField()
    sent_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["phase", "hours", "ends_at"], name="phase_reminded_once")
        ]

    def __str__(self) -> str:
        return f"{self.phase} · {self.hours} h"
