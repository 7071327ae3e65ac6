"""The rows whose time attackers guess: members of a cohort among controls who are in none."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from games.contract.tables import Columns

from .attribute import CONTROL, MEMBER, excess
from .distances import percentile
from .layout import chosen, size
from .population import LEAN, LEANER, ORDINARY, Hazards, laboratory, with_outcomes
from .seeking import nearest_time

ASKED = ("challenge_row_id", "age", "SBP", "TG", "HDL", "ALT", "sex", "prefecture")
TOLD = ("challenge_row_id", "label", "onset", "time", "is_rare")
HIGH = 90.0
"""HDL above which a rare person is of the second kind."""
FLOOR_PERCENT = 95
N_TABLES = 20

Table = dict[str, npt.NDArray[Any]]


class TooFew(ValueError):
    """A cohort is too small for the parameters of the round."""


def drawn(
    cohort: Columns, n: int, n_rare: int, hazards: Hazards, rng: np.random.Generator
) -> tuple[Table, Table]:
    """What is asked and what is true: n members, so many of them rare, and as many matched controls.

    Platform definition v1: a control is a new person with the age, sex, prefecture and kind of a member;
    laboratory values and outcome are drawn as those of everybody else.
    """
    is_rare = cohort["is_rare"] == 1
    rare, others = np.flatnonzero(is_rare), np.flatnonzero(~is_rare)
    if len(rare) < n_rare or len(others) < n - n_rare:
        raise TooFew(
            f"challenge: got {n - n_rare} ordinary and {n_rare} rare members to ask about, "
            f"expected at most {len(others)} and {len(rare)}."
        )
    rows = np.concatenate([rng.permutation(rare)[:n_rare], rng.permutation(others)[: n - n_rare]])
    members = chosen(cohort, rows)
    kinds = np.where(members["is_rare"] == 1, np.where(members["HDL"] > HIGH, LEANER, LEAN), ORDINARY)
    alike = laboratory(members["age"], members["sex"], members["prefecture"], kinds, rng)
    controls = with_outcomes(alike, hazards, rng) | {"is_rare": members["is_rare"]}
    order = rng.permutation(2 * n)
    both = {name: np.concatenate([members[name], controls[name]])[order] for name in controls}
    both["label"] = np.repeat(np.array([MEMBER, CONTROL], dtype=object), n)[order]
    both["challenge_row_id"] = np.arange(2 * n)
    return {name: both[name] for name in ASKED}, {name: both[name] for name in TOLD}


def null_floor(
    how: str, asked: Columns, truth: Columns, background: Columns, n: int, within: float,
    rng: np.random.Generator,
) -> float:  # fmt: skip
    """What R reaches where a table of n rows of the background stands in for the release.

    Platform definition v1: the house attack *reference* against 20 such tables; their mean, or their 95th
    percentile. Without a floor it is 0.
    """
    if how == "off":
        return 0.0
    is_member, time = truth["label"] == MEMBER, np.asarray(truth["time"], dtype=float)
    reached = []
    for _ in range(N_TABLES):
        table = chosen(background, rng.integers(0, size(background), n))
        hits = np.abs(nearest_time(asked, table, background) - time) <= within
        reached.append(excess(hits[is_member], hits[~is_member]) or 0.0)
    return sum(reached) / N_TABLES if how == "mean" else percentile(np.array(reached), FLOOR_PERCENT)
