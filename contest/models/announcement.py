from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from contest.models.contest import Contest


class Announcement(models.Model):
    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="announcements")
    title = models.CharField(_("title"), max_length=120)
    body = models.TextField(_("text"), blank=True, help_text=_("Markdown."))
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    by_mail = models.BooleanField(default=False, db_default=False)
    published_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-published_at", "-id"]

    def __str__(self) -> str:
        return self.title


class AnnouncementMail(models.Model):
    """One e-mail to one person. It is claimed before it is sent, so that nobody gets it twice.

    An e-mail that was claimed but not sent is one whose worker died in between: it may have gone out, so it
    is not repeated, and organisers see that it is uncertain.
    """

    announcement = models.ForeignKey(Announcement, on_delete=models.CASCADE, related_name="mails")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    claimed_at = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["announcement", "user"], name="announcement_mailed_once"),
            models.CheckConstraint(
                condition=Q(sent_at__isnull=True) | Q(claimed_at__isnull=False), name="sent_mail_was_claimed"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.announcement} → {self.user}"
