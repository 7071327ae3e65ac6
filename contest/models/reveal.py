from __future__ import annotations

from django.db import models

from contest.models.round import Round


class Reveal(models.Model):
    """A reveal of results, place by place from the last one upwards.

    ``places`` are all of them in that order, each with the team, its place while the board stood still or
    none, its true place and its total. ``shown`` is how many of them are revealed, ``version`` grows with
    each step.
    """

    round = models.OneToOneField(Round, on_delete=models.CASCADE, related_name="reveal")
    started_at = models.DateTimeField()
    shown = models.PositiveIntegerField(default=0)
    version = models.PositiveIntegerField(default=1)
    column = models.CharField(max_length=60, blank=True, default="")
    places = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"{self.round} · {self.shown}/{len(self.places)}"
