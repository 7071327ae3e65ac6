from __future__ import annotations

from typing import cast

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from contest.models.message_field import MessageField
from contest.models.round import Round
from contest.models.team import Team


class Entry(models.Model):
    """What a team hid: an upload, its state, and what is known about it.

    The upload is in the vault (contest/files/vault.py), and so is what `Sealed` rows name. ``published`` are
    the neutral files that attackers may read. ``numbers`` are those of the strongest attack, by name.
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
    key = models.CharField(
        max_length=60,
        blank=True,
        default="",
        db_default="",
        help_text="The name of this target in answers; it stays the same in archives.",
    )
    program_sha256 = models.CharField(
        max_length=64,
        blank=True,
        default="",
        db_default="",
        help_text="The hider that makes its files, where it was handed in as a program.",
    )
    inputs_sha256 = models.CharField(
        max_length=64, blank=True, default="", db_default="", help_text="What the hider may read."
    )
    made_sha256 = models.CharField(
        max_length=64, blank=True, default="", db_default="", help_text="What the hider made."
    )
    program_reason = MessageField(blank=True, default="", db_default="")
    program_log = models.TextField(blank=True, default="", db_default="")
    slot = models.CharField(
        max_length=40,
        blank=True,
        default="",
        db_default="",
        help_text="Which of a team's tasks it is for; one entry per slot counts.",
    )
    variant = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="From which of the team's alternatives it is made."
    )
    labels = models.JSONField(
        default=dict, db_default={}, blank=True, help_text="Name → text: what groups targets."
    )
    published = models.JSONField(
        default=dict, db_default={}, blank=True, help_text="Name → sha256; attackers may read them."
    )
    n_people = models.PositiveIntegerField(
        null=True, blank=True, help_text="How many people can be found in it."
    )
    costs_attempt = models.BooleanField(default=True)
    is_pinned = models.BooleanField(default=False)
    is_official = models.BooleanField(default=False)
    frozen_at = models.DateTimeField(null=True, blank=True, help_text=_("Fixed as the team's target."))
    problems = models.JSONField(default=list, blank=True)
    problem_total = models.PositiveIntegerField(default=0)
    remarks = models.JSONField(
        default=list,
        db_default=[],
        blank=True,
        help_text="What explains the problems, or how files were read.",
    )
    because = models.JSONField(default=list, blank=True)
    measures = models.JSONField(default=dict, blank=True)
    parts = models.JSONField(
        default=dict, db_default={}, blank=True, help_text="What its utility consists of, by name."
    )
    utility = models.FloatField(null=True, blank=True)
    strongest_attack = models.CharField(max_length=60, blank=True)
    risk = models.FloatField(null=True, blank=True, help_text=_("Share found by the strongest attack."))
    numbers = models.JSONField(
        default=dict, db_default={}, blank=True, help_text="What the strongest attack was judged to be."
    )

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["round", "team", "number"], name="entry_number_once"),
            models.UniqueConstraint(fields=["round", "key"], condition=~Q(key=""), name="entry_key_once"),
            models.UniqueConstraint(
                fields=["round", "team", "slot"],
                condition=Q(is_official=True) & ~Q(upload_sha256=""),
                name="one_official_entry_a_slot",
            ),
            models.UniqueConstraint(
                fields=["round", "team", "slot"], condition=Q(is_pinned=True), name="one_pinned_entry_a_slot"
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
    def is_brought(self) -> bool:
        """Whether the organisers brought it as a target; all others were uploaded."""
        return not self.upload_sha256

    @property
    def is_house(self) -> bool:
        return self.team.is_house

    @property
    def takes_place(self) -> bool:
        """The house is shown beside the teams, without a place, unless its round says otherwise."""
        return self.round.house_takes_places or not self.team.is_house

    @property
    def hits(self) -> int | None:
        """How many people the strongest attack found, where it is known and counts people."""
        return cast("int | None", self.numbers.get("hits"))

    @property
    def guesses(self) -> int | None:
        """How many people the strongest attack claims to know."""
        return cast("int | None", self.numbers.get("guesses"))
