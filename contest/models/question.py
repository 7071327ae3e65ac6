from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from contest.declarations.question import MAX_ANSWER, MAX_QUESTION, MAX_TITLE
from contest.models.announcement import Announcement
from contest.models.contest import Contest
from contest.models.round import Round
from contest.models.team import Team

PUBLIC = Q(visibility="open") | Q(visibility="private", answered_to="all")
"""What everybody may read of: open questions, and private ones whose answer is for everybody."""


class Question(models.Model):
    """What a team asked the organisers, and their answer.

    The words of a private question are never shown to others: if its answer is for everybody, they read
    ``title``, which the organisers wrote. A row of an imported contest may lack its team and its words.
    """

    class Visibility(models.TextChoices):
        OPEN = "open", _("shown to everybody")
        PRIVATE = "private", _("private")
        HIDDEN = "hidden", _("hidden")

    class Audience(models.TextChoices):
        TEAM = "team", _("the team that asked")
        ALL = "all", _("everybody")

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="questions")
    round = models.ForeignKey(
        Round, null=True, blank=True, on_delete=models.SET_NULL, related_name="questions"
    )
    team = models.ForeignKey(Team, null=True, blank=True, on_delete=models.CASCADE, related_name="questions")
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    asked_at = models.DateTimeField()
    body = models.TextField(_("question"), blank=True, max_length=MAX_QUESTION)
    asked_openly = models.BooleanField()
    visibility = models.CharField(max_length=10, choices=Visibility)
    visibility_reason = models.CharField(max_length=300, blank=True)
    title = models.CharField(max_length=MAX_TITLE, blank=True)
    answer = models.TextField(_("answer"), blank=True, max_length=MAX_ANSWER)
    answered_to = models.CharField(max_length=10, choices=Audience, blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    answered_at = models.DateTimeField(null=True, blank=True)
    is_faq = models.BooleanField(default=False)
    announcement = models.ForeignKey(
        Announcement, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(
                fields=["contest"], condition=Q(answered_at__isnull=True), name="question_unanswered"
            )
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(visibility__in=["open", "private", "hidden"]), name="question_visibility"
            ),
            models.CheckConstraint(
                condition=Q(answered_at__isnull=True, answer="", answered_to="")
                | (Q(answered_at__isnull=False, answered_to__in=["team", "all"]) & ~Q(answer="")),
                name="question_answered",
            ),
            models.CheckConstraint(
                condition=Q(is_faq=False) | (Q(answered_to="all") & ~Q(title="")),
                name="faq_is_answered_to_all",
            ),
            models.CheckConstraint(
                condition=~Q(visibility="private", answered_to="all", title=""),
                name="private_question_is_reworded",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.contest} · {self.pk}"

    @property
    def is_answered(self) -> bool:
        return self.answered_at is not None
