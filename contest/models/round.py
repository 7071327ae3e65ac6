from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from contest.declarations.round import (
    AT_ONCE,
    AT_THE_REVEAL,
    BEST,
    COUNTS,
    DEFAULTS,
    FEEDBACK,
    IN_BANDS,
    LATEST,
    NAME,
)
from contest.models.contest import Contest
from contest.models.dataset import Dataset
from contest.models.game_package import GamePackage
from contest.models.message_field import MessageField
from contest.models.seeds import secret_seed

_LABELS = dict(FEEDBACK)


class Feedback(models.TextChoices):
    FULL = AT_ONCE, _(_LABELS[AT_ONCE])
    BANDS = IN_BANDS, _(_LABELS[IN_BANDS])
    NONE = AT_THE_REVEAL, _(_LABELS[AT_THE_REVEAL])


class WhichCounts(models.TextChoices):
    BEST = BEST, _(dict(COUNTS)[BEST])
    LATEST = LATEST, _(dict(COUNTS)[LATEST])


class BuildState(models.TextChoices):
    WAITING = "waiting", _("its data are being made")
    READY = "ready", _("its data are ready")
    FAILED = "failed", _("its data could not be made")


class Round(models.Model):
    """A round: one data set, its rules as data, and how results are ranked."""

    contest = models.ForeignKey(Contest, on_delete=models.PROTECT, related_name="rounds")
    slug = models.SlugField(max_length=50)
    name = models.CharField(max_length=NAME.length)
    position = models.PositiveSmallIntegerField(default=0)
    weight = models.FloatField(default=DEFAULTS["weight"])
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="rounds")
    game = models.ForeignKey(
        GamePackage, null=True, blank=True, on_delete=models.PROTECT, related_name="rounds"
    )
    params = models.JSONField(
        default=dict, db_default={}, blank=True, help_text=_("The parameters of its game.")
    )
    build_state = models.CharField(
        max_length=10, choices=BuildState, blank=True, default="", db_default="", help_text=_("Of its data.")
    )
    build_reason = MessageField(blank=True, default="", db_default="")
    build_log = models.TextField(blank=True, default="", db_default="")
    file_rules = models.JSONField(default=dict, help_text=_("The file rules of its format, by name."))
    limits = models.JSONField(default=list, help_text=_("A list of measure, operator, limit."))
    ranking = models.CharField(max_length=60, default=DEFAULTS["ranking"])
    house_takes_places = models.BooleanField(
        default=DEFAULTS["house_takes_places"],
        db_default=False,
        help_text=_("Whether house entries and house attacks are ranked among the teams."),
    )
    which_counts = models.CharField(
        max_length=10,
        choices=WhichCounts,
        default=DEFAULTS["which_counts"],
        db_default=LATEST,
        help_text=_("Which of a team's valid entries counts until the team pins one."),
    )
    feedback = models.CharField(max_length=10, choices=Feedback, default=DEFAULTS["feedback"])
    feedback_bands = models.PositiveSmallIntegerField(
        default=DEFAULTS["feedback_bands"],
        db_default=4,
        help_text=_("Of how many bands an answer is, where it is one."),
    )
    entries_per_day = models.PositiveSmallIntegerField(default=DEFAULTS["entries_per_day"])
    entries_in_total = models.PositiveSmallIntegerField(default=DEFAULTS["entries_in_total"])
    attacks_per_day = models.PositiveSmallIntegerField(default=DEFAULTS["attacks_per_day"])
    attacks_in_total = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        default=DEFAULTS["attacks_in_total"],
        help_text=_("Attacks per team; empty: as many as the days allow."),
    )
    attacks_per_target = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text=_("Attacks per team and entry; empty: as many as in all.")
    )
    all_targets = models.BooleanField(
        default=DEFAULTS["all_targets"],
        db_default=False,
        help_text=_("Guesses are sent for all targets at once."),
    )
    program_seconds = models.PositiveSmallIntegerField(
        default=DEFAULTS["program_seconds"], help_text=_("CPU seconds per target.")
    )
    program_megabytes = models.PositiveIntegerField(
        default=DEFAULTS["program_megabytes"], help_text=_("Memory per target.")
    )
    seed = models.PositiveBigIntegerField(default=secret_seed)
    seed_named = models.BooleanField(
        default=False, db_default=False, help_text=_("The seed was written in its bundle, not drawn.")
    )
    seeds_known = models.BooleanField(
        default=False,
        db_default=False,
        help_text=_("Its seeds were named, not drawn: who has them knows the truths of its house entries."),
    )
    board_frozen_at = models.DateTimeField(
        null=True,
        blank=True,
        default=DEFAULTS["board_frozen_at"],
        help_text=_(
            "From then on everybody but organisers sees the board of this moment, until the results."
        ),
    )
    reveal_in_steps = models.BooleanField(
        default=DEFAULTS["reveal_in_steps"],
        db_default=False,
        help_text=_("Its results are hidden until an organiser has revealed them place by place."),
    )
    is_hidden = models.BooleanField(
        default=DEFAULTS["is_hidden"],
        db_default=False,
        help_text=_("Only organisers see it until its first phase begins."),
    )
    settings_version = models.PositiveIntegerField(
        default=1, db_default=1, help_text=_("As that of the contest.")
    )
    board_version = models.PositiveBigIntegerField(default=1)
    full_version = models.PositiveBigIntegerField(
        default=1,
        db_default=1,
        help_text=_("Grows also with changes that only organisers may know of before the results."),
    )
    committed_at = models.DateTimeField(null=True, blank=True, help_text=_("Its seed is committed."))
    frozen_at = models.DateTimeField(null=True, blank=True, help_text=_("Entries are frozen, targets out."))
    tallied_at = models.DateTimeField(null=True, blank=True, help_text=_("All attacks are counted."))
    revealed_at = models.DateTimeField(null=True, blank=True, help_text=_("Commitments are open."))

    still_since = models.DateTimeField(
        null=True, blank=True, help_text=_("The board that everybody sees stands still since then.")
    )
    reveal_ended_at = models.DateTimeField(
        null=True, blank=True, help_text=_("All places were revealed, where that is done step by step.")
    )

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["contest", "slug"], name="round_slug_once"),
            models.CheckConstraint(condition=Q(feedback__in=Feedback.values), name="round_feedback"),
            models.CheckConstraint(
                condition=Q(which_counts__in=WhichCounts.values), name="round_which_counts"
            ),
            models.CheckConstraint(condition=Q(feedback_bands__gte=2), name="round_feedback_bands"),
            models.CheckConstraint(condition=Q(weight__gte=0), name="round_weight"),
        ]

    def __str__(self) -> str:
        return f"{self.contest} · {self.name}"

    def get_absolute_url(self) -> str:
        return reverse("leaderboard", args=[self.contest.slug, self.slug])

    @property
    def awaits_reveal(self) -> bool:
        """Whether its results are hidden until their reveal, place by place, has ended."""
        return self.reveal_in_steps and self.reveal_ended_at is None

    @property
    def has_begun(self) -> bool:
        now = timezone.now()
        return any(phase.starts_at <= now for phase in self.phases.all())
