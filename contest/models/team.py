from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from contest.models.contest import Contest
from contest.models.look_key import LookKey
from contest.names.tracks import LONGEST_NAME


class Team(models.Model):
    """People who compete together under one public name; or the house, which plays a baseline."""

    class Status(models.TextChoices):
        PENDING = "pending", _("waits for approval")
        ACTIVE = "active", _("plays")
        LOCKED = "locked", _("locked")
        REMOVED = "removed", _("removed")

    contest = models.ForeignKey(Contest, on_delete=models.PROTECT, related_name="teams")
    name = models.CharField(_("public name"), max_length=60)
    name_key = models.CharField(max_length=120, editable=False)
    look_key = LookKey(of="name")
    is_house = models.BooleanField(default=False)
    in_archive = models.BooleanField(
        default=True,
        db_default=True,
        help_text=_("Its files may be included in the contest's archive; otherwise only their hashes."),
    )
    track = models.CharField(
        max_length=LONGEST_NAME,
        blank=True,
        default="",
        db_default="",
        help_text="The name of its track; empty where the contest had none when the team was made.",
    )
    status = models.CharField(max_length=10, choices=Status, default=Status.ACTIVE, db_default=Status.ACTIVE)
    status_reason = models.CharField(max_length=300, blank=True, default="", db_default="")
    merged_into = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="merged"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["contest", "name_key"], name="team_name_once"),
            models.UniqueConstraint(fields=["contest", "look_key"], name="team_look_once"),
            models.CheckConstraint(
                condition=Q(status__in=["pending", "active", "locked", "removed"]), name="team_status"
            ),
            models.CheckConstraint(
                condition=Q(merged_into__isnull=True) | Q(status="removed"), name="merged_team_is_removed"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("team", args=[self.contest.slug, self.pk])


class Membership(models.Model):
    """A person is in at most one team of a contest; the contest is repeated so the database enforces it."""

    class Role(models.TextChoices):
        CAPTAIN = "captain", _("captain")
        MEMBER = "member", _("member")

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships")
    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role, default=Role.MEMBER)
    joined_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["contest", "user"], name="one_team_a_contest"),
            models.CheckConstraint(condition=Q(role__in=["captain", "member"]), name="membership_role"),
        ]

    def __str__(self) -> str:
        return f"{self.user} · {self.team}"


class Invitation(models.Model):
    """A link by which people join a team. Only the hash of its token is stored."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="invitations")
    token_sha256 = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.team} · {self.created_at:%Y-%m-%d}"

    @property
    def is_usable(self) -> bool:
        return self.revoked_at is None and timezone.now() < self.expires_at
