from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from contest.models.attack import Attack
from contest.models.entry import Entry
from contest.models.round import Round


class Signal(models.Model):
    """Evidence that people should look at; never a verdict. Computed again, it replaces the old."""

    class Kind(models.TextChoices):
        NEAR_DUPLICATE = "near-duplicate", _("two entries changed the same rows in the same way")
        ROW_ORDER = "row-order", _("the order of the pseudonyms follows the truth")
        LOW_DIGITS = "low-digits", _("low digits of numbers follow the truth")
        SHARED_MISTAKES = "shared-mistakes", _("two teams make the same wrong guesses")
        SAME_ANSWERS = "same-answers", _("two teams give nearly the same answer")
        CLIMBING = "climbing", _("a team changes few rows of its best guess, again and again")

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="signals")
    kind = models.CharField(max_length=20, choices=Kind)
    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="signals")
    other = models.ForeignKey(Entry, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    attack = models.ForeignKey(Attack, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    other_attack = models.ForeignKey(
        Attack, null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )
    strength = models.FloatField()
    threshold = models.FloatField()
    detail = models.JSONField(default=dict, blank=True)
    found_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["kind", "-strength", "id"]

    def __str__(self) -> str:
        return f"{self.kind} {self.entry}"
