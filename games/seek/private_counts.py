"""Counts with the noise of OpenDP, which a site may install (`pip install kakurenbo[opendp]`)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


class NoOpenDP(ImportError):
    """The generator `opendp` is asked for where the package is not installed."""

    def __str__(self) -> str:
        return "The generator opendp needs the package opendp, which is not installed here."


def noisy_counts(counts: Ints, sensitivity: int, epsilon: float) -> Ints:
    """The counts with discrete Laplace noise: ε-differentially private.

    ``sensitivity`` is by how much one row more or less changes the counts in all. OpenDP proves the ε of a
    scale with its own rounding; the scale is raised, by a few units in its last place, until it is met.
    OpenDP takes its random bits from the operating system and has no seed.
    """
    dp = _opendp()
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    scale = sensitivity / epsilon
    measurement = dp.m.make_laplace(*space, scale=scale)
    while measurement.map(d_in=sensitivity) > epsilon:
        scale = math.nextafter(scale, math.inf)
        measurement = dp.m.make_laplace(*space, scale=scale)
    return np.array(measurement(counts.tolist()), dtype=np.int64)


def _opendp() -> Any:
    try:
        import opendp.prelude as dp
    except ModuleNotFoundError as error:
        raise NoOpenDP(name="opendp") from error
    # OpenDP asks for this flag wherever its own vetting of a mechanism's proof is not complete.
    dp.enable_features("contrib")
    return dp
