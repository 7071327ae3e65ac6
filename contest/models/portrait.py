from __future__ import annotations

from django.db import models

from contest.models.entry import Entry


class Portrait(models.Model):
    """The numbers behind an entry's pictures (games/formats/portrait.py), made by the job that scores it.

    A row of its own: boards read a thousand entries and never these numbers.
    """

    entry = models.OneToOneField(Entry, on_delete=models.CASCADE, related_name="portrait")
    numbers = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.entry}"
