"""An invented table of patients, for rounds whose organisers bring none: numbers and categories."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

REGIONS = ("north", "east", "south", "west", "islands")
HABITS = ("never", "former", "daily")


def invented(n: int, rng: np.random.Generator) -> dict[str, npt.NDArray[Any]]:
    """Patients whose values depend on their age, their habits and a health of their own."""
    age = 18 + (rng.random(n) * 40 + rng.random(n) * 35).astype(np.int64)
    frailty = rng.random(n)
    habit = np.minimum((rng.random(n) * 2 + frailty).astype(np.int64), 2)
    pressure = 1000 + 6 * age + (200 * frailty + 150 * rng.random(n)).astype(np.int64)
    glucose = 45 + (30 * frailty * rng.random(n) + age / 10).astype(np.int64)
    is_ill = rng.random(n) < 0.1 + 0.4 * frailty
    visits = (rng.random(n) * (2 + 8 * frailty) + 3 * is_ill).astype(np.int64)
    cost = visits * 80 + (rng.random(n) * rng.random(n) * 900).astype(np.int64) + 400 * is_ill
    return {
        "age": age,
        "sex": np.where(rng.random(n) < 0.5, "f", "m").astype(object),
        "region": np.array(REGIONS, dtype=object)[rng.integers(0, len(REGIONS), n)],
        "smoking": np.array(HABITS, dtype=object)[habit],
        "systolic": pressure / 10,
        "glucose": glucose / 10,
        "visits": visits,
        "cost": cost,
        "diagnosis": np.where(is_ill, "yes", "no").astype(object),
    }
