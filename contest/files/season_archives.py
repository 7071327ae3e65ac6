"""Where the archive of a season that was played as a demo is stored, for everybody who follows its story."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings


def season_archive(slug: str) -> Path:
    """The path of the archive; only the command that plays a season writes it, and production never does."""
    return Path(settings.VAR) / "seasons" / f"{slug}.zip"
