"""The four parts of utility and their points, from the tables and the model's right answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .age_groups import kw_difference
from .layout import Texts
from .regression import regression_of, terms_difference
from .scores import FULL_POINTS, points, utility
from .summary import stats_difference

CANONICAL = "canonical"
DIFFERENCES = ("stats", "lr", "kw")


def figures(
    before: Texts, after: Texts, correct: int | None, params: Mapping[str, Any]
) -> dict[str, float | None]:
    """Every measure; those of the model are undefined where its right answers are not known."""
    if params["row-order"] == CANONICAL:
        before, after = in_canonical_order(before), in_canonical_order(after)
    first, second = regression_of(before), regression_of(after)
    differences = {
        "stats": stats_difference(before, after),
        "lr": terms_difference(first, second, params["coefficients"]),
        "kw": kw_difference(before, after),
    }
    found: dict[str, float | None] = {f"{name}-diff": value for name, value in differences.items()}
    found |= {"lr-auc": second.auc, "model-correct": correct}
    parts = points(differences, params["rounding"])
    if correct is not None:
        parts["model"] = FULL_POINTS["model"] * correct / params["test-rows"]
    found |= {f"{name}-points": value for name, value in parts.items()}
    found["utility"] = None if correct is None else utility(parts, params["rounding"])
    return found


def in_canonical_order(table: Texts) -> Texts:
    """The same rows sorted as texts: what is computed then no longer depends on their order."""
    rows = sorted(zip(*table.values(), strict=True))
    return dict(zip(table, zip(*rows, strict=True), strict=True)) if rows else table
