from __future__ import annotations

from typing import Any

from django.db import models

from contest.models import AuditEvent, Contest, User


def record(
    verb: str,
    subject: models.Model,
    *,
    contest: Contest | None,
    actor: User | None = None,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
    reason: str = "",
) -> AuditEvent:
    """Write down an act. Call it inside the transaction of the act."""
    return AuditEvent.objects.create(
        contest=contest,
        actor=actor,
        verb=verb,
        subject=f"{subject._meta.model_name} {subject.pk}",
        before=before or {},
        after=after or {},
        reason=reason,
    )
