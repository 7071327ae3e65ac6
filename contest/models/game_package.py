from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from contest.models.contest import Contest


class GamePackage(models.Model):
    """The rules of a kind of contest: a game that is installed at the site, or one uploaded with a contest.

    An uploaded one is a zip in the vault, because it may hold the organisers' secrets, and its code runs in
    the sandbox alone. ``declaration`` is the text of its `game.yaml`.
    """

    class Origin(models.TextChoices):
        INSTALLED = "installed", _("installed at this site")
        UPLOADED = "uploaded", _("uploaded")

    class State(models.TextChoices):
        WAITING = "waiting", _("its examples are being run")
        READY = "ready", _("keeps all laws")
        BROKEN = "broken", _("breaks a law")

    name = models.CharField(max_length=60)
    version = models.CharField(max_length=40)
    origin = models.CharField(max_length=10, choices=Origin, default=Origin.INSTALLED)
    contest = models.ForeignKey(
        Contest, null=True, blank=True, on_delete=models.PROTECT, related_name="game_packages"
    )
    sha256 = models.CharField(
        max_length=64, blank=True, default="", help_text="Of its files; it identifies an uploaded game."
    )
    zip_sha256 = models.CharField(
        max_length=64, blank=True, default="", help_text="Of the zip in the vault; empty where installed."
    )
    declaration = models.TextField(blank=True, default="")
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    findings = models.JSONField(
        default=list, blank=True, help_text="What its examples and the laws gave: name, state, sentence."
    )
    log = models.TextField(blank=True, default="", help_text="What it wrote meanwhile, for organisers only.")
    uploaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["name", "version"], condition=Q(origin="installed"), name="installed_game_once"
            ),
            models.UniqueConstraint(
                fields=["contest", "sha256"], condition=Q(origin="uploaded"), name="uploaded_game_once"
            ),
            models.CheckConstraint(
                condition=Q(origin="installed", zip_sha256="", contest__isnull=True)
                | (Q(origin="uploaded", contest__isnull=False) & ~Q(zip_sha256="")),
                name="game_has_origin",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "ready", "broken"]), name="game_package_state"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.version}"

    @property
    def identity(self) -> str:
        """What tells this version from all others, also in another installation."""
        return self.sha256 or f"{self.name} {self.version}"

    @property
    def is_uploaded(self) -> bool:
        return self.origin == self.Origin.UPLOADED
