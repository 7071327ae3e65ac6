from __future__ import annotations

from django.db import models

from contest.models.round import Round


class Standing(models.Model):
    """The board at a moment: the place of every team. A new row is written when places or totals change.

    ``places`` are team, rank and total of every ranked team, with everything that attacks had found by then:
    visible only to those who may see that.
    """

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="standings")
    at = models.DateTimeField()
    board_version = models.PositiveBigIntegerField(help_text="Up to this version of the board it was so.")
    places = models.JSONField(default=list)

    class Meta:
        ordering = ["at", "id"]
        indexes = [models.Index(fields=["round", "at"], name="standing_by_time")]

    def __str__(self) -> str:
        return f"{self.round} · {self.at:%Y-%m-%d %H:%M}"
