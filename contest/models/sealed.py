from __future__ import annotations

from django.db import models
from django.db.models import Q

from contest.models.entry import Entry
from contest.models.round import Round
from contest.models.seat import Seat

TRUTH = "truth.txt"
"""The name of an entry's truth."""
SEED = ".seed"
"""The name of the seed from which the game of a round draws; no file of a game begins with a dot."""


class Sealed(models.Model):
    """A secret file in the vault: whose it is, and its hash, which is as secret as the file.

    These are rows of their own, not columns beside public hashes: the database role of attack machines has no
    rights on this table.
    """

    class Scope(models.TextChoices):
        ROUND = "round", "of a round"
        SEAT = "seat", "of a seat"
        ENTRY = "entry", "of an entry"

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="sealed")
    scope = models.CharField(max_length=10, choices=Scope)
    entry = models.ForeignKey(Entry, null=True, blank=True, on_delete=models.CASCADE, related_name="sealed")
    seat = models.ForeignKey(Seat, null=True, blank=True, on_delete=models.CASCADE, related_name="sealed")
    name = models.CharField(max_length=255)
    sha256 = models.CharField(max_length=64)
    bytes = models.PositiveBigIntegerField(
        null=True, blank=True, help_text="Unknown for what is older than this table."
    )

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "sealed"
        constraints = [
            models.UniqueConstraint(
                fields=["entry", "name"], condition=Q(scope="entry"), name="sealed_once_an_entry"
            ),
            models.UniqueConstraint(
                fields=["round", "name"], condition=Q(scope="round"), name="sealed_once_a_round"
            ),
            models.UniqueConstraint(
                fields=["seat", "name"], condition=Q(scope="seat"), name="sealed_once_a_seat"
            ),
            models.CheckConstraint(
                condition=Q(scope="entry", entry__isnull=False, seat__isnull=True)
                | Q(scope="seat", entry__isnull=True, seat__isnull=False)
                | Q(scope="round", entry__isnull=True, seat__isnull=True),
                name="sealed_has_owner",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.entry or self.seat or self.round} · {self.name}"
