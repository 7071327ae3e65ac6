from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from contest.models.dataset import named_files
from contest.models.round import Round
from contest.models.team import Team


class Entry(models.Model):
    """What a team hid: an upload, its state, and what is known about it.

    The upload and the truth are in the vault (contest/files/vault.py); `files` are the neutral ones that
    attackers may read, stored in `master_sha256` and `transactions_sha256` as those of a data set are.
    """

    class State(models.TextChoices):
        UPLOADED = "uploaded", _("waiting to be checked")
        CHECKING = "checking", _("being checked")
        SCORING = "scoring", _("being scored")
        VALID = "valid", _("valid")
        INVALID = "invalid", _("invalid")
        FAILED = "failed", _("failed on our side")

    FINAL = (State.VALID, State.INVALID, State.FAILED)

    class Mark(models.TextChoices):
        NONE = "", _("none")
        VOID = "void", _("void")
        DISQUALIFIED = "disqualified", _("disqualified")

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="entries")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="entries")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=State, default=State.UPLOADED)
    mark = models.CharField(max_length=12, choices=Mark, default=Mark.NONE, blank=True)
    mark_reason = models.CharField(max_length=300, blank=True)
    submitted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    received_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)
    note = models.CharField(max_length=200, blank=True)
    method = models.CharField(max_length=40, blank=True, help_text=_("The house anonymizer that made it."))
    upload_sha256 = models.CharField(max_length=64)
    upload_bytes = models.PositiveBigIntegerField()
    master_sha256 = models.CharField(max_length=64, blank=True)
    transactions_sha256 = models.CharField(max_length=64, blank=True)
    truth_sha256 = models.CharField(max_length=64, blank=True)
    n_released = models.PositiveIntegerField(null=True, blank=True)
    costs_attempt = models.BooleanField(default=True)
    is_pinned = models.BooleanField(default=False)
    is_official = models.BooleanField(default=False)
    frozen_at = models.DateTimeField(null=True, blank=True, help_text=_("Fixed as the team's target."))
    problems = models.JSONField(default=list, blank=True)
    problem_total = models.PositiveIntegerField(default=0)
    because = models.JSONField(default=list, blank=True)
    measures = models.JSONField(default=dict, blank=True)
    utility = models.FloatField(null=True, blank=True)
    most_hits = models.PositiveIntegerField(null=True, blank=True)
    strongest_attack = models.CharField(max_length=60, blank=True)
    risk = models.FloatField(null=True, blank=True, help_text=_("Share found by the strongest attack."))
    guesses = models.PositiveIntegerField(
        null=True, blank=True, help_text=_("How many people the strongest attack claims to know.")
    )

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["round", "team", "number"], name="entry_number_once"),
            models.UniqueConstraint(
                fields=["round", "team"], condition=Q(is_official=True), name="one_official_entry"
            ),
            models.UniqueConstraint(
                fields=["round", "team"], condition=Q(is_pinned=True), name="one_pinned_entry"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["uploaded", "checking", "scoring", "valid", "invalid", "failed"]),
                name="entry_state",
            ),
            models.CheckConstraint(
                condition=Q(mark__in=["", "void", "disqualified"]),
                name="entry_mark",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["valid", "invalid", "failed"], finished_at__isnull=False)
                | Q(state__in=["uploaded", "checking", "scoring"], finished_at__isnull=True),
                name="entry_finished_when_final",
            ),
            models.CheckConstraint(
                condition=~Q(state="valid") | (Q(utility__isnull=False) & ~Q(truth_sha256="")),
                name="valid_entry_has_score",
            ),
            models.CheckConstraint(
                condition=Q(is_official=False) | Q(state="valid", mark=""), name="official_entry_is_valid"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.team} #{self.number}"

    def get_absolute_url(self) -> str:
        return reverse("entry", args=[self.round.contest.slug, self.round.slug, self.pk])

    @property
    def is_final(self) -> bool:
        return self.state in self.FINAL

    @property
    def is_house(self) -> bool:
        return self.team.is_house

    @property
    def takes_place(self) -> bool:
        """The house is shown beside the teams, without a place, unless its round says otherwise."""
        return self.round.house_takes_places or not self.team.is_house

    @property
    def files(self) -> dict[str, str]:
        names = self.round.dataset.spec.public_files
        return named_files(names, self.master_sha256, self.transactions_sha256)
