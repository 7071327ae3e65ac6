"""What a guess is in each format, and how it is judged."""

from __future__ import annotations

from games.shop.guessing import GAMES, STARTERS, Game, Outcome, Target, find_game

__all__ = ["GAMES", "STARTERS", "Game", "Outcome", "Target", "find_game"]
