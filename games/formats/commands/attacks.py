"""The house attacks of the default preset."""

from __future__ import annotations

from games.shop.attacks.registry import ATTACKS

__all__ = ["ATTACKS"]
