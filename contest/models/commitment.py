from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from contest.models.round import Round


class Commitment(models.Model):
    """A hash that is public before what it hashes may be: nobody can change that unseen afterwards.

    ``payload`` is the text whose sha256 was published. It is secret until ``revealed_at``; it holds a salt,
    so that a short secret, such as a seed, cannot be found by trying. ``shape`` says which facts the text
    lists and under which names (contest/services/committed_facts.py).
    """

    class What(models.TextChoices):
        SEED = "seed", _("seed of the house attacks")
        HOUSE = "house", _("seed of a house entry")
        FILES = "files", _("committed files of the game")
        ENTRIES = "entries", _("frozen entries and their truths")
        BOARD = "board", _("final board")

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="commitments")
    what = models.CharField(max_length=10, choices=What)
    version = models.PositiveSmallIntegerField(default=1)
    shape = models.PositiveSmallIntegerField(default=2, db_default=1)
    sha256 = models.CharField(max_length=64)
    payload = models.TextField()
    published_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    revealed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["round", "what", "version"], name="commitment_once_a_version"),
            models.UniqueConstraint(
                fields=["round", "what"],
                condition=Q(withdrawn_at__isnull=True) & ~Q(what__in=["house", "files"]),
                name="one_standing_commitment",
            ),
            models.CheckConstraint(
                condition=Q(what__in=["seed", "house", "files", "entries", "board"]), name="commitment_what"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.round} · {self.get_what_display()}"
