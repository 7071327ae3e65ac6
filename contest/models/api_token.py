from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from contest.models.team import Team


class ApiToken(models.Model):
    """A key for programs. It acts for its maker, and only in its team's contest where it is a team's.

    Only the hash of the secret is stored; `hint` is its beginning, by which people recognise their keys.
    """

    class Scope(models.TextChoices):
        READ = "read", _("read what I may see")
        SUBMIT = "submit", _("hand in entries and attacks, pin, invite")
        ORGANISE = "organise", _("run the contests that I organise")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    team = models.ForeignKey(Team, null=True, blank=True, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=60)
    hint = models.CharField(max_length=12)
    token_sha256 = models.CharField(max_length=64, unique=True)
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.name} ({self.hint}…)"

    @property
    def is_expired(self) -> bool:
        return self.expires_at <= timezone.now()

    @property
    def is_usable(self) -> bool:
        return self.revoked_at is None and not self.is_expired

    @property
    def scope_labels(self) -> list[str]:
        return [str(self.Scope(scope).label) for scope in self.scopes]
