"""The contests whose files and rules the command line takes by name."""

from __future__ import annotations

from games.shop.commands.presets import DEFAULT_PRESET, PRESETS, Preset

__all__ = ["DEFAULT_PRESET", "PRESETS", "Preset"]
