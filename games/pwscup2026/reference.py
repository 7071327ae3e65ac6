"""What the utility of a cohort is measured against: the majority's moments, and the noise of its curve."""

from __future__ import annotations

import json
from typing import BinaryIO, NamedTuple

import numpy as np

from arithmetic import covariance
from games.contract.tables import Columns

from .distances import percentile
from .layout import Floats, matrix, size
from .survival import area_between, grid_of, kaplan_meier, trapezoid

BAND = {"lo": 4.0, "hi": 10.0, "cap": 12.0}
FLOOR_PERCENT = 95


class Reference(NamedTuple):
    """Mean and covariance of the seven numbers of the majority, and two figures about the cohort's curve."""

    mean: Floats
    covariance: Floats
    km_signal: float
    km_floor: float
    rare_from: float = BAND["lo"]


def read_reference(source: BinaryIO) -> Reference:
    found = json.load(source)
    mean, moments = (np.array(found[name], dtype=float) for name in ("mu", "sigma"))
    return Reference(mean, moments, found["km_signal_D"], found["km_floor"], found["band"]["lo"])


def as_bytes(reference: Reference) -> bytes:
    """The file that teams get; who is rare is in a table of its own."""
    found = {
        "mu": reference.mean.tolist(),
        "sigma": reference.covariance.tolist(),
        "band": {**BAND, "lo": reference.rare_from},
        "b_is_rare": None,
        "km_signal_D": reference.km_signal,
        "km_floor": reference.km_floor,
    }
    return (json.dumps(found) + "\n").encode()


def reference_of(cohort: Columns, majority: Columns, n_pairs: int, rng: np.random.Generator) -> Reference:
    """The moments of the majority, the area over the cohort's curve, and the noise of that curve.

    The noise is the 95th percentile, over pairs of bootstrap samples, of the area between their curves.
    """
    rows, time, onset = matrix(majority), cohort["time"].astype(float), cohort["onset"]
    curve = kaplan_meier(time, onset)
    grid = grid_of(curve.times)
    signal = trapezoid(1 - curve.at(grid), grid)
    n, areas = size(cohort), []
    for _ in range(n_pairs):
        drawn = (np.bincount(rng.integers(0, n, n), minlength=n).astype(float) for _ in range(2))
        areas.append(area_between(*(kaplan_meier(time, onset, weight) for weight in drawn)))
    return Reference(rows.mean(axis=0), covariance(rows), signal, percentile(np.array(areas), FLOOR_PERCENT))
