"""The house attacks of all formats."""

from __future__ import annotations

from games.shop.attacks.registry import ATTACKS, EVERY_ATTACK, attack, run_attack

__all__ = ["ATTACKS", "EVERY_ATTACK", "attack", "run_attack"]
