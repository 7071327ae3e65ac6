"""Limits proposed from measured entries, by hand."""

from __future__ import annotations

import dataclasses
import math
from decimal import ROUND_CEILING, ROUND_FLOOR

import pytest

from games.shop.measures.registry import measure
from scoring.proposals import limits_kept_by, rounded
from scoring.rules import Limit

LOSS = measure("ut-jaccard")
KEPT = dataclasses.replace(LOSS, name="kept", better="higher")
ENTRIES = [
    {"ut-jaccard": 0.0, "kept": 1.0},
    {"ut-jaccard": 0.123, "kept": 0.877},
    {"ut-jaccard": 0.5, "kept": 0.5},
    {"ut-jaccard": 0.05, "kept": 0.95},
]


@pytest.mark.parametrize(
    ("n", "loss", "kept"), [(1, 0.0, 1.0), (2, 0.05, 0.95), (3, 0.13, 0.87), (4, 0.5, 0.5)]
)
def test_the_n_best_entries_keep_the_limits_and_no_other_does(n: int, loss: float, kept: float) -> None:
    found = limits_kept_by(ENTRIES, [LOSS, KEPT], n)
    assert found is not None
    assert found.limits == (Limit("ut-jaccard", "<=", loss), Limit("kept", ">=", kept))
    assert (found.kept_by, found.of) == (n, 4)


def test_equal_entries_are_kept_together() -> None:
    found = limits_kept_by([{"ut-jaccard": 0.2}] * 3, [LOSS], 1)
    assert found is not None and found.kept_by == 3


def test_what_is_not_measured_of_all_entries_has_no_limit() -> None:
    entries = [{"ut-jaccard": 0.2, "kept": math.nan}, {"ut-jaccard": 0.3, "kept": 0.5}]
    found = limits_kept_by(entries, [LOSS, KEPT], 2)
    assert found is not None and [limit.measure for limit in found.limits] == ["ut-jaccard"]
    assert limits_kept_by([{}], [LOSS], 1) is None
    assert limits_kept_by(entries, [LOSS], 3) is None and limits_kept_by([], [LOSS], 0) is None


@pytest.mark.parametrize(
    ("value", "up", "down"),
    [(0.1231, 0.13, 0.12), (49_100.0, 50_000.0, 49_000.0), (7.0, 7.0, 7.0), (0.0, 0.0, 0.0)],
)
def test_limits_are_rounded_to_the_lenient_side(value: float, up: float, down: float) -> None:
    assert rounded(value, ROUND_CEILING) == up and rounded(value, ROUND_FLOOR) == down
