from __future__ import annotations

from django.db import models
from django.db.models import Q

from contest.models.attack import AttackRun
from contest.models.entry import Entry
from contest.models.message_field import MessageField


class Illustration(models.Model):
    """The pictures of an entry, or of a run of an attack, as plain data that its game drew.

    The job that scores or judges makes them. What went wrong with them is for organisers alone. A row of its
    own: boards read thousands of entries and runs, and never these numbers.
    """

    entry = models.OneToOneField(
        Entry, null=True, blank=True, on_delete=models.CASCADE, related_name="illustration"
    )
    run = models.OneToOneField(
        AttackRun, null=True, blank=True, on_delete=models.CASCADE, related_name="illustration"
    )
    drawn = models.JSONField(default=list, blank=True, help_text="One object per picture.")
    fault = MessageField(blank=True, default="")
    log = models.TextField(blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(entry__isnull=False, run__isnull=True) | Q(entry__isnull=True, run__isnull=False),
                name="illustration_of_one_thing",
            )
        ]

    def __str__(self) -> str:
        return str(self.entry or self.run)
