"""Ranking: the rules of the shop games (`games.shop.ranking`), by which every round is decided today."""

from __future__ import annotations

from games.shop.ranking import (
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
]
