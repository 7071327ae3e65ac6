"""What the files of an entry may do: the rules that a round sets."""

from __future__ import annotations

from games.shop.data.rules import FIXED_ONCE_MEASURED, RULES, FileRules, checked_rules, measure_options

__all__ = ["FIXED_ONCE_MEASURED", "RULES", "FileRules", "checked_rules", "measure_options"]
