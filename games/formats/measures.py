"""The utility measures of all formats."""

from __future__ import annotations

from games.shop.measures.registry import BY_FORMAT, EVERY_MEASURE, MEASURES, measure, measures_of

__all__ = ["BY_FORMAT", "EVERY_MEASURE", "MEASURES", "measure", "measures_of"]
