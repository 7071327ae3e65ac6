"""The rules by which rounds of these formats are decided."""

from __future__ import annotations

from games.shop.ranking import (
    RANKINGS,
    SHOT_DOWN,
    USUAL,
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
    "USUAL",
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
