from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from contest.models.contest import Contest


class AuditEvent(models.Model):
    """Who did what, when and why. Written in the transaction of the action itself; never changed.

    Each contest, and the site for what belongs to none, has one chain: ``hash`` covers the row's content and
    the hash before it. A row gets its ``number`` and ``hash`` right after its transaction is committed.
    ``subject`` is what the action was about at the time; ``subject_id`` finds it in this installation, also
    where the contest was imported and the rows have other numbers.
    """

    contest = models.ForeignKey(Contest, null=True, on_delete=models.PROTECT, related_name="audit")
    at = models.DateTimeField(default=timezone.now)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    actor_name = models.CharField(max_length=60, blank=True, db_default="")
    verb = models.CharField(max_length=60)
    subject = models.CharField(max_length=120)
    subject_id = models.BigIntegerField(null=True, blank=True)
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    reason = models.CharField(max_length=300, blank=True)

    number = models.PositiveBigIntegerField(null=True, blank=True)
    hash = models.CharField(max_length=64, blank=True, db_default="")

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["contest"], condition=Q(number__isnull=True), name="audit_unchained")]
        constraints = [
            models.UniqueConstraint(fields=["contest", "number"], name="audit_number_once"),
            models.UniqueConstraint(
                fields=["number"], condition=Q(contest__isnull=True), name="site_audit_number_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.verb} {self.subject}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self.pk is not None:
            raise TypeError("An audit event is never changed.")
        super().save(*args, **kwargs)


class AuditChain(models.Model):
    """The end of a chain. To add to the chain, lock this row; a chain that was cut off is shorter."""

    SITE = 0

    contest_key = models.PositiveBigIntegerField(
        unique=True, help_text="Primary key of the contest, or 0 for the site."
    )
    number = models.PositiveBigIntegerField(default=0)
    hash = models.CharField(max_length=64, blank=True)

    def __str__(self) -> str:
        return f"{self.contest_key}: {self.number}"
