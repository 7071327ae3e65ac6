from __future__ import annotations

from django.db import models

from contest.models.round import Round
from contest.models.team import Team


class Seat(models.Model):
    """A place at the table of a round, with data of its own. Without a team it is free, or the house's.

    Its files are `Sealed` rows: they are secret to all but its team.
    """

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="seats")
    number = models.PositiveIntegerField()
    team = models.ForeignKey(Team, null=True, blank=True, on_delete=models.PROTECT, related_name="seats")
    is_spare = models.BooleanField(default=False, help_text="For the house's own entries and attacks.")
    choice = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Which of its alternatives the team has chosen."
    )
    placed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["round_id", "number"]
        constraints = [
            models.UniqueConstraint(fields=["round", "number"], name="seat_number_once"),
            models.UniqueConstraint(
                fields=["round", "team"], condition=models.Q(team__isnull=False), name="one_seat_a_team"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.round} · {self.number}"
