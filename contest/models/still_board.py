from __future__ import annotations

from django.db import models

from contest.models.round import Round


class StillBoard(models.Model):
    """The board of a round as it was when it was made to stand still; the clock removes it when it goes on.

    ``rows`` are those of the board that everybody saw. Where a game counts, they are empty: its boards are
    stored as `StoredBoard` of the view STILL. ``shows_attacks`` says whether that board showed what attacks
    had found.
    """

    round = models.OneToOneField(Round, on_delete=models.CASCADE, related_name="still_board")
    made_at = models.DateTimeField()
    shows_attacks = models.BooleanField()
    rows = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"{self.round} · {self.made_at:%Y-%m-%d %H:%M}"
