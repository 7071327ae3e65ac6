"""The attribute game: the hidden time of members, against that of controls who are in no cohort."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from games.contract.tables import Columns

from .layout import Flags, Floats, clipped

MEMBER, CONTROL = "member", "control"


class Attribute(NamedTuple):
    all: float | None
    rare: float | None
    p_m: float | None
    p_c: float | None
    p_m_rare: float | None
    p_c_rare: float | None

    @property
    def score(self) -> float:
        """Before the floor; undefined values do not count."""
        return max((one for one in (self.all, self.rare) if one is not None), default=0.0)


def attribute(answer: Floats, truth: Columns, within: float, dead_zone: float) -> Attribute:
    """Hits are answers within so many years, by a plain comparison of doubles.

    ``answer`` is in the order of the truth. The dead zone, in standard errors, holds for the rare ones alone.
    """
    hits = np.abs(answer - np.asarray(truth["time"], dtype=float)) <= within
    is_member, is_rare = truth["label"] == MEMBER, np.asarray(truth["is_rare"]) == 1
    p_m, p_c = _rate(hits[is_member]), _rate(hits[~is_member])
    few_m, few_c = hits[is_member & is_rare], hits[~is_member & is_rare]
    everybody, few = excess(hits[is_member], hits[~is_member]), excess(few_m, few_c, dead_zone)
    return Attribute(everybody, few, p_m, p_c, _rate(few_m), _rate(few_c))


def excess(members: Flags, controls: Flags, dead_zone: float = 0.0) -> float | None:
    """R: by how much members are hit more often than controls, of what is left above the controls' rate.

    >>> excess(np.array([True, True]), np.array([True, False]))
    1.0
    """
    p_m, p_c = _rate(members), _rate(controls)
    if p_m is None or p_c is None:
        return None
    error = math.sqrt(p_m * (1 - p_m) / len(members) + p_c * (1 - p_c) / len(controls))
    return clipped((p_m - p_c - dead_zone * error) / max(1 - p_c, 1e-9))


def _rate(hits: Flags) -> float | None:
    return float(hits.mean()) if len(hits) else None
