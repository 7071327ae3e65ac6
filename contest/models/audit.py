from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models

from contest.models.contest import Contest


class AuditEvent(models.Model):
    """Who did what, when and why. Written in the transaction of the act itself; never changed."""

    contest = models.ForeignKey(Contest, null=True, on_delete=models.PROTECT, related_name="audit")
    at = models.DateTimeField(auto_now_add=True)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    verb = models.CharField(max_length=60)
    subject = models.CharField(max_length=120)
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    reason = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.verb} {self.subject}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self.pk is not None:
            raise TypeError("An audit event is never changed.")
        super().save(*args, **kwargs)
