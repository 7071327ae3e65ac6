"""What the limit of a round may be, and what it says of measured values."""

from __future__ import annotations

from games.shop.limit_settings import (
    LIMIT,
    OPERATOR,
    WrongWay,
    checked_limits,
    limit_settings,
    measure_setting,
    operator_for,
)
from games.shop.limits import judged, share_left, upper_limits

__all__ = [
    "LIMIT", "OPERATOR", "WrongWay", "checked_limits", "judged", "limit_settings", "measure_setting",
    "operator_for", "share_left", "upper_limits",
]  # fmt: skip
