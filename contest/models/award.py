from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from contest.models.contest import Contest
from contest.models.team import Team

TOP = 5
MOST = 100
"""Against how many of the best entries seekers are compared: unless organisers say otherwise, and at most."""


class Award(models.Model):
    """An award that organisers have given. Nothing is deleted: one that was undone stays, with the reason.

    ``basis`` holds the numbers that a computed award follows from. An award of the organisers' own has
    titles, a text and the reason why this team has it.
    """

    class Kind(models.TextChoices):
        HIDER = "hider", _("Best hider")
        SEEKER = "seeker", _("Best seeker")
        BOTH = "both", _("Best of both")
        OWN = "own", _("Award of the organisers")

    COMPUTED = (Kind.HIDER, Kind.SEEKER, Kind.BOTH)

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="awards")
    kind = models.CharField(max_length=10, choices=Kind)
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="awards")
    title_en = models.CharField(max_length=80, blank=True, default="")
    title_ja = models.CharField(max_length=80, blank=True, default="")
    text = models.CharField(max_length=300, blank=True, default="")
    reason = models.CharField(max_length=300, blank=True, default="")
    basis: Any = models.JSONField(default=dict, blank=True)
    given_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    given_at = models.DateTimeField()
    undone_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    undone_at = models.DateTimeField(null=True, blank=True)
    undo_reason = models.CharField(max_length=300, blank=True, default="")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["contest", "kind"],
                condition=Q(undone_at=None) & ~Q(kind="own"),
                name="computed_award_once",
            ),
            models.CheckConstraint(
                condition=Q(kind__in=["hider", "seeker", "both", "own"]), name="award_kind"
            ),
            models.CheckConstraint(
                condition=~Q(kind="own") | ~(Q(title_en="") | Q(title_ja="") | Q(reason="")),
                name="own_award_has_titles",
            ),
            models.CheckConstraint(
                condition=Q(undone_at=None) | ~Q(undo_reason=""), name="undone_award_has_reason"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.title} · {self.team}"

    @property
    def title(self) -> str:
        """In the language of the reader."""
        if self.kind != self.Kind.OWN:
            return str(self.Kind(self.kind).label)
        return self.title_ja if get_language() == "ja" else self.title_en
