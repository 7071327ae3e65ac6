from __future__ import annotations

from typing import Literal
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from contest.declarations.contest import CONTEST
from contest.models.look_key import LookKey
from contest.names.tracks import Track, read_tracks

DECLARED = {setting.name: setting for setting in CONTEST}


class Contest(models.Model):
    """A contest: what people see first, and the zone in which its days begin."""

    slug = models.SlugField(max_length=50, unique=True)
    look_key = LookKey(of="slug", unique=True)
    title = models.CharField(_("title"), max_length=DECLARED["title"].length)
    summary = models.CharField(_("summary"), max_length=DECLARED["summary"].length)
    description = models.TextField(_("description"), blank=True, help_text=_("Markdown."))
    time_zone = models.CharField(_("time zone"), max_length=60, default="UTC")
    is_public = models.BooleanField(default=DECLARED["is_public"].default)
    max_team_size = models.PositiveSmallIntegerField(default=DECLARED["max_team_size"].default)
    registration_opens = models.DateTimeField(null=True, blank=True)
    registration_closes = models.DateTimeField(null=True, blank=True)
    min_team_size = models.PositiveSmallIntegerField(default=DECLARED["min_team_size"].default, db_default=1)
    tracks = models.TextField(
        blank=True,
        default=DECLARED["tracks"].default,
        db_default="",
        help_text="Divisions of the teams, one per line; see `contest/names/tracks.py`.",
    )
    approve_teams = models.BooleanField(
        default=DECLARED["approve_teams"].default,
        db_default=False,
        help_text=_("New teams wait until an organiser lets them play."),
    )
    reminder_hours = models.PositiveSmallIntegerField(
        default=DECLARED["reminder_hours"].default, db_default=24
    )
    last_reminder_hours = models.PositiveSmallIntegerField(
        default=DECLARED["last_reminder_hours"].default, db_default=2
    )
    may_be_embedded = models.BooleanField(
        default=DECLARED["may_be_embedded"].default,
        db_default=False,
        help_text=_("Other sites may show its boards in a frame."),
    )
    settings_version = models.PositiveIntegerField(
        default=1,
        db_default=1,
        help_text=_("Grows with every change of the settings; a form that shows an older one is stale."),
    )
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("contest", args=[self.slug])

    @property
    def registration(self) -> Literal["before", "open", "after"]:
        """Whether teams may gather their people now; always, where no times are set."""
        now = timezone.now()
        if self.registration_closes is not None and now >= self.registration_closes:
            return "after"
        opens = self.registration_opens
        return "before" if opens is not None and now < opens else "open"

    @property
    def declared_tracks(self) -> tuple[Track, ...]:
        return read_tracks(self.tracks)

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)


class Organiser(models.Model):
    """A person who runs a contest."""

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="organisers")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="organises")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["contest", "user"], name="organiser_once")]

    def __str__(self) -> str:
        return f"{self.user} · {self.contest}"
