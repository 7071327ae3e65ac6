"""The house methods of the default preset."""

from __future__ import annotations

from games.shop.methods.anonymizer import Anonymized, Anonymizer
from games.shop.methods.registry import ANONYMIZERS as METHODS

__all__ = ["METHODS", "Anonymized", "Anonymizer"]
