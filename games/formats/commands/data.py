"""The ways to make data that the command line offers."""

from __future__ import annotations

from games.shop.commands.data import COUNTED, add_sources, build_data

__all__ = ["COUNTED", "add_sources", "build_data"]
