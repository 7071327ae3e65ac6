"""What the limit of a round may be."""

from __future__ import annotations

from games.shop.limit_settings import LIMIT, OPERATOR, checked_limits, limit_settings, measure_setting

__all__ = ["LIMIT", "OPERATOR", "checked_limits", "limit_settings", "measure_setting"]
