from __future__ import annotations

from typing import cast

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from contest.models.entry import Entry
from contest.models.message_field import MessageField
from contest.models.round import Round
from contest.models.team import Team


class Attack(models.Model):
    """An attack that is run in a round: a house algorithm, or what a team brings."""

    class Kind(models.TextChoices):
        HOUSE = "house", _("house attack")
        GUESS = "guess", _("guess file")
        PROGRAM = "program", _("program")

    class State(models.TextChoices):
        UPLOADED = "uploaded", _("waiting to be checked")
        CHECKING = "checking", _("being checked")
        JUDGED = "judged", _("judged")
        INVALID = "invalid", _("invalid")
        FAILED = "failed", _("failed on our side")

    FINAL = (State.JUDGED, State.INVALID, State.FAILED)

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="attacks")
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.HOUSE)
    name = models.CharField(max_length=60)
    version = models.PositiveSmallIntegerField(default=1)
    team = models.ForeignKey(Team, null=True, blank=True, on_delete=models.PROTECT, related_name="attacks")
    submitted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    program_sha256 = models.CharField(max_length=64, blank=True)
    upload_sha256 = models.CharField(
        max_length=64, blank=True, default="", db_default="", help_text="An answer to several targets."
    )
    upload_bytes = models.PositiveBigIntegerField(default=0, db_default=0)
    state = models.CharField(
        max_length=10,
        choices=State,
        blank=True,
        default="",
        db_default="",
        help_text="Of an answer to several targets; others have states by target alone.",
    )
    problems = models.JSONField(default=list, db_default=[], blank=True)
    remarks = models.JSONField(
        default=list,
        db_default=[],
        blank=True,
        help_text="What explains the problems, or how files were read.",
    )
    problem_total = models.PositiveIntegerField(default=0, db_default=0)
    costs_attempt = models.BooleanField(default=True, db_default=True)
    is_pinned = models.BooleanField(default=False, db_default=False)
    finished_at = models.DateTimeField(null=True, blank=True)
    note = models.CharField(max_length=200, blank=True)
    is_dry_run = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["round", "name", "version"], condition=Q(kind="house"), name="house_attack_once"
            ),
            models.UniqueConstraint(
                fields=["round", "team", "kind", "version"],
                condition=Q(team__isnull=False),
                name="team_attack_once",
            ),
            models.UniqueConstraint(
                fields=["round", "team"], condition=Q(is_pinned=True), name="one_pinned_answer_a_team"
            ),
            models.CheckConstraint(condition=Q(kind__in=["house", "guess", "program"]), name="attack_kind"),
            models.CheckConstraint(
                condition=Q(state__in=["", "uploaded", "checking", "judged", "invalid", "failed"]),
                name="attack_state",
            ),
            models.CheckConstraint(
                condition=~Q(kind="program") | ~Q(program_sha256=""), name="program_attack_has_program"
            ),
            models.CheckConstraint(
                condition=Q(kind="house", team__isnull=True) | (~Q(kind="house") & Q(team__isnull=False)),
                name="attack_has_owner",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} v{self.version}"

    def get_absolute_url(self) -> str:
        return reverse("attack", args=[self.round.contest.slug, self.round.slug, self.pk])

    @property
    def label(self) -> str:
        """The name of the attack on boards: its own, or its team's."""
        if self.team is None:
            return self.name
        return f"{self.team.name} · {self.get_kind_display()} {self.version}"


class AttackRun(models.Model):
    """One attack on one entry in one challenge of the game, and the judge's verdict on its answer.

    ``numbers`` are what the challenge counts besides the risk, by name.
    """

    class State(models.TextChoices):
        QUEUED = "queued", _("waiting")
        RUNNING = "running", _("running")
        DONE = "done", _("done")
        FAILED = "failed", _("failed on our side")
        REFUSED = "refused", _("refused")

    FINAL = (State.DONE, State.FAILED, State.REFUSED)

    attack = models.ForeignKey(Attack, on_delete=models.PROTECT, related_name="runs")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="attack_runs")
    challenge = models.CharField(
        max_length=40, default="", db_default="", help_text="Which question of the game it answers."
    )
    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    risk = models.FloatField(null=True, blank=True, help_text="From 0 to 1; with people, the share found.")
    low = models.FloatField(null=True, blank=True)
    high = models.FloatField(null=True, blank=True)
    baseline = models.FloatField(null=True, blank=True)
    numbers = models.JSONField(default=dict, db_default={}, blank=True)
    answer_sha256 = models.CharField(max_length=64, blank=True, default="", db_default="")
    evidence_sha256 = models.CharField(
        max_length=64,
        blank=True,
        default="",
        db_default="",
        help_text="What only the tally reads again, in the vault.",
    )
    found_rows = models.JSONField(
        default=list, db_default=[], blank=True, help_text="Which people of the original were found."
    )
    reason = MessageField(blank=True)
    log = models.TextField(blank=True)
    seconds = models.FloatField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["attack", "entry", "challenge"], name="attack_run_once_a_challenge"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["queued", "running", "done", "failed", "refused"]),
                name="attack_run_state",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.attack} → {self.entry}"

    @property
    def hits(self) -> int | None:
        """How many people it found, where the challenge counts people."""
        return cast("int | None", self.numbers.get("hits"))

    @property
    def guesses(self) -> int | None:
        """How many people the answer claims to know."""
        return cast("int | None", self.numbers.get("guesses"))
