"""Attacks that link records: within the same sex and prefecture, or everybody to a row of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from games.contract.tables import Columns
from games.tables.attacks import NOBODY, Nearest, linked, nearest_in_blocks, rows_of

from .layout import HORIZON, NUMBERS, Floats

HINTS = ("age", "SBP", "TG", "HDL", "ALT")
"""The numbers that a challenge shows."""
KNOWN = ("sex", "prefecture")


def blocks_nearness(candidates: Columns, release: Columns, background: Columns, below: Any = None) -> Floats:
    """1 / (1 + distance to the nearest released row of the same sex and prefecture), or 0."""
    return 1 / (1 + _in_blocks(candidates, release, NUMBERS).distance)


def blocks_time(challenge: Columns, release: Columns, background: Columns) -> Floats:
    """The time of the nearest released row of the same sex and prefecture, else 10."""
    return _times(_in_blocks(challenge, release, HINTS), release)


def assigned_nearness(
    candidates: Columns, release: Columns, background: Columns, below: Any = None
) -> Floats:
    """1 / (1 + distance to the row that a candidate is assigned; no two candidates have the same)."""
    rows = rows_of([candidates, release], (*NUMBERS, "smoking", *KNOWN), KNOWN)
    return 1 / (1 + linked(*rows).distance)


def assigned_time(challenge: Columns, release: Columns, background: Columns) -> Floats:
    """The time of the row that somebody is assigned; no two people have the same."""
    return _times(linked(*rows_of([challenge, release], (*HINTS, *KNOWN), KNOWN)), release)


def _in_blocks(people: Columns, release: Columns, numbers: tuple[str, ...]) -> Nearest:
    points, rows = rows_of([people, release], numbers, ())
    return nearest_in_blocks(points, rows, _blocks(people), _blocks(release))


def _blocks(table: Columns) -> npt.NDArray[Any]:
    pairs = zip(*(table[name] for name in KNOWN), strict=True)
    return np.array([f"{int(sex)} {place}" for sex, place in pairs])


def _times(found: Nearest, release: Columns) -> Floats:
    times = np.asarray(release["time"], dtype=float)
    return np.where(found.row == NOBODY, HORIZON, times[found.row])
