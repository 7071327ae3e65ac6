from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from contest.models.contest import Contest
from contest.models.entry import Entry
from contest.models.round import Round


class Notification(models.Model):
    """Something that one person is told of in the pages. Words are made of ``facts`` when it is shown."""

    class Kind(models.TextChoices):
        SCORED = "scored", _("An entry of your team is judged")
        OVERTAKEN = "overtaken", _("Your team loses a place")
        REMINDER = "reminder", _("A phase ends soon, and your team has handed nothing in")
        ANSWER = "answer", _("A question of your team is answered")
        ANNOUNCEMENT = "announcement", _("The organisers announce something")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notifications")
    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="+")
    round = models.ForeignKey(Round, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    entry = models.ForeignKey(Entry, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=20, choices=Kind)
    facts = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField()
    read_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["user"], condition=Q(read_at__isnull=True), name="notification_unread")
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=["scored", "overtaken", "reminder", "answer", "announcement"]),
                name="notification_kind",
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} · {self.user}"


class NotificationChoice(models.Model):
    """By which channels a person wants notices of one kind. Where there is no row, the defaults hold."""

    CHANNELS = ("page", "mail", "webhook")
    MAILED = frozenset({"reminder", "answer", "announcement"})
    """The kinds that are sent by mail unless the person says otherwise."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=20, choices=Notification.Kind)
    page = models.BooleanField()
    mail = models.BooleanField()
    webhook = models.BooleanField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "kind"], name="notification_choice_once")]

    def __str__(self) -> str:
        return f"{self.kind} · {self.user}"

    @classmethod
    def default(cls, kind: str, channel: str) -> bool:
        return channel != "mail" or kind in cls.MAILED
