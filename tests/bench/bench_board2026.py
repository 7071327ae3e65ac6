"""PWSCUP 2026: the board of 22 × 22 teams by the jobs of the platform, from uploads to its last row."""

from __future__ import annotations

from tests.load.board import measure_board

TEAMS = 22


def main() -> None:
    print(measure_board(TEAMS), flush=True)
