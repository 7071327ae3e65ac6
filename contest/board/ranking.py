"""Ranking: the rules by which rounds without a game of their own are decided (`games.formats.ranking`)."""

from __future__ import annotations

from games.formats.ranking import (
    RANKINGS,
    SHOT_DOWN,
    VERDICTS,
    Found,
    OverallPlace,
    Place,
    Played,
    Ranking,
    Result,
    find_ranking,
    numbered,
    rank,
    rank_overall,
    usefulness,
)

__all__ = [
    "RANKINGS",
    "SHOT_DOWN",
    "VERDICTS",
    "Found",
    "OverallPlace",
    "Place",
    "Played",
    "Ranking",
    "Result",
    "find_ranking",
    "numbered",
    "rank",
    "rank_overall",
    "usefulness",
]
