"""Anonymity, total and overall score, as the published tables compute them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.tables.boards import DECIMALS


def anonymity(hits: float, n_cells: int) -> float:
    """What the hits leave of 100; 100 − hits where there are 100 cells."""
    return round(100 - 100 * hits / n_cells, DECIMALS)


def total(utility: float, safety: float, params: Mapping[str, Any]) -> float:
    """Utility plus anonymity, less the deductions for each of them below the floor; not below 0.

    >>> rule = {"floor": 50, "deduction": 2}
    >>> total(86.46, 9, rule), total(57.7, 11, rule), total(29.38, 46, rule)
    (13.46, 0.0, 26.14)
    """
    floor, deduction = params["floor"], params["deduction"]
    missing = max(0.0, floor - utility) + max(0.0, floor - safety)
    return max(0.0, round(utility + safety - deduction * missing, DECIMALS))
