from __future__ import annotations

from django.db import models

from contest.models.entry import Entry


class Score(models.Model):
    """One measure of one entry, by one version of the scorer or of the game; none overwrites another."""

    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="scores")
    measure = models.CharField(max_length=40)
    version = models.PositiveSmallIntegerField()
    game = models.CharField(
        max_length=110,
        blank=True,
        default="",
        db_default="",
        help_text="Which version of the round's game measured it; empty where no game did.",
    )
    value = models.FloatField()
    detail = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["entry", "measure", "version", "game"], name="score_once_a_version"
            )
        ]

    def __str__(self) -> str:
        return f"{self.entry} · {self.measure}"
