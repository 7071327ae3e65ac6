from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from contest.models.attack import Attack
from contest.models.entry import Entry
from contest.models.job import Job
from contest.models.message_field import MessageField
from contest.models.round import Round
from contest.models.team import Team


class TeamOrder(models.Model):
    """What a team asked the house to make for it: an entry by a house method, or an answer by a house attack.

    Anybody who knows the seed of an entry can make it again, truth and all: attack machines may not read
    these rows, and of people the team alone is shown the seed. What was made is in the vault.
    """

    class What(models.TextChoices):
        ENTRY = "entry", _("entry")
        ANSWER = "answer", _("answer")

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        MADE = "made", _("made")
        FAILED = "failed", _("failed")

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="team_orders")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="orders")
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    requested_at = models.DateTimeField()
    language = models.CharField(max_length=10, help_text="In which a refusal is worded.")
    what = models.CharField(max_length=10, choices=What)
    method = models.CharField(max_length=60, help_text="The house method, or the house attack.")
    parameters = models.JSONField(default=dict, blank=True)
    seed = models.PositiveBigIntegerField()
    slot = models.CharField(max_length=40, blank=True)
    variant = models.PositiveSmallIntegerField(default=0)
    targets = models.JSONField(default=list, blank=True, help_text="The entries that an answer is about.")
    note = models.CharField(max_length=200, blank=True)
    is_handed_in = models.BooleanField(help_text="Whether it is handed in once it is made.")
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    reason = MessageField(blank=True, help_text=_("Why nothing was made."))
    finished_at = models.DateTimeField(null=True, blank=True)
    file_sha256 = models.CharField(max_length=64, blank=True)
    file_bytes = models.PositiveBigIntegerField(default=0)
    job = models.OneToOneField(
        Job, null=True, blank=True, on_delete=models.SET_NULL, related_name="team_order"
    )
    entry = models.OneToOneField(
        Entry, null=True, blank=True, on_delete=models.SET_NULL, related_name="team_order"
    )
    attack = models.OneToOneField(
        Attack, null=True, blank=True, on_delete=models.SET_NULL, related_name="team_order"
    )

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["team"], condition=Q(state="waiting"), name="one_waiting_order_a_team"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "made", "failed"]), name="team_order_state"
            ),
            models.CheckConstraint(condition=Q(what__in=["entry", "answer"]), name="team_order_what"),
            models.CheckConstraint(
                condition=~Q(state="made") | ~Q(file_sha256=""), name="made_team_order_has_file"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.team} · {self.method}"

    def get_absolute_url(self) -> str:
        return reverse("team_order", args=[self.round.contest.slug, self.round.slug, self.pk])

    @property
    def is_final(self) -> bool:
        return self.state != self.State.WAITING

    @property
    def recipe(self) -> str:
        """The method with its parameters, as notes show it."""
        values = ", ".join(f"{name}={value}" for name, value in sorted(self.parameters.items()))
        return f"{self.method} ({values})" if values else self.method
