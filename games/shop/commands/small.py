"""An original on which every house method and attack runs within moments."""

from __future__ import annotations

from games.shop.data.generate import generate
from games.shop.data.tables import PurchaseData

CUSTOMERS = 40
SETTINGS: dict[str, dict[str, object]] = {"kmm": {"k": 2, "items": 2}}
"""Settings that work with so few customers, where a method's defaults need more."""
LIMITS = {"ut-jaccard": 0.7}


def small_original() -> PurchaseData:
    return generate(CUSTOMERS, seed=1)
