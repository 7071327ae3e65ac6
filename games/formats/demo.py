"""The demo contests: their stories, and what their teams hand in."""

from __future__ import annotations

from games.shop.demo.moves import chained, guessed
from games.shop.demo.season import SEASON, Chapter, Season, SeasonRound
from games.shop.demo.story import STORY, Guess, Hide, MethodCall, Move, Program, Story

SEASONS: dict[str, Season] = {SEASON.slug: SEASON}
"""The seasons whose story is told, by the address of their contest."""

__all__ = [
    "SEASON",
    "SEASONS",
    "STORY",
    "Chapter",
    "Guess",
    "Hide",
    "MethodCall",
    "Move",
    "Program",
    "Season",
    "SeasonRound",
    "Story",
    "chained",
    "guessed",
]
