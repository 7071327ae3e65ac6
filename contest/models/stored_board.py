from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from contest.models.game_package import GamePackage
from contest.models.round import Round


class StoredBoard(models.Model):
    """A board that a game has counted; pages only read it.

    ``rows`` hold the key (a team, an attacker or a target), the values by column, the place or none, and for
    whom the row stands. ``counted`` is the round's `full_version` that was counted.
    """

    class View(models.TextChoices):
        LIVE = "live", _("as everybody may see it before the results")
        FINAL = "final", _("with all that attacks found")
        STILL = "still", _("as everybody sees it while it stands still")
        TRIAL = "trial", _("by a version of the game that is being tried")

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="boards")
    view = models.CharField(max_length=10, choices=View)
    position = models.PositiveSmallIntegerField(default=0)
    name = models.CharField(max_length=60)
    game = models.ForeignKey(GamePackage, on_delete=models.PROTECT, related_name="+")
    shown = models.CharField(max_length=12, default="all")
    columns = models.JSONField(default=list)
    rows = models.JSONField(default=list)
    counted = models.PositiveBigIntegerField(default=0)
    made_at = models.DateTimeField()

    class Meta:
        ordering = ["round_id", "view", "position"]
        constraints = [
            models.UniqueConstraint(fields=["round", "view", "name"], name="stored_board_once"),
            models.CheckConstraint(
                condition=models.Q(view__in=["live", "final", "still", "trial"]), name="stored_board_view"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.round} · {self.name} ({self.view})"
