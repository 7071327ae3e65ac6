"""The attacks of the demo and of the season."""

from __future__ import annotations

from games.shop.attacks.registry import ATTACKS

LATER = {"re-refit"}
"""Attacks that came after the stories were written; against them their teams would hide otherwise."""
DEMO_ATTACKS = tuple(attack.name for attack in ATTACKS if attack.name not in LATER)
