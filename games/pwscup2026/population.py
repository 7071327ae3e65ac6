"""An invented population of health checks: who is how old, ill, rare, and what becomes of them.

The organisers' generator is not public. This one has the published structure and rates; its coefficients are
the platform's own.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arithmetic import exp, log
from games.contract.tables import Columns

from .layout import AGES, CENSORED, RANGES, RELEASED, Floats

PREFECTURES = ("東京都", "神奈川県", "大阪府", "埼玉県", "愛知県", "福岡県", "北海道", "奈良県")
SHARES = (0.25, 0.17, 0.15, 0.13, 0.12, 0.09, 0.06, 0.03)
AT_HOME = 0.5
"""Of the people who are in one cohort alone, the share who live in its home prefecture."""
ORDINARY, LEAN, LEANER = 0, 1, 2
"""Kinds of people; the last two are rare."""
HIGHEST_GLUCOSE = 125.9
"""Nobody is ill at the beginning."""
ONSET = {
    "age": 0.02, "sex": 0.1, "BMI": 0.02, "SBP": 0.004, "TG": 0.35, "ALT": 0.25, "FPG": 0.075, "smoking": 0.6,
}  # fmt: skip
DEATH = {"age": 0.06, "sex": 0.3, "SBP": 0.008, "smoking": 0.5}
"""Effects on the logarithm of the hazard, of TG and ALT in logarithms."""
BISECTIONS = 60

Kinds = npt.NDArray[np.int64]


class Hazards(NamedTuple):
    """The logarithms of the hazards of somebody whose effects add up to nothing."""

    onset: float
    death: float


def background_of(n: int, rare_share: float, rng: np.random.Generator) -> dict[str, npt.NDArray[Any]]:
    """Checks of people who are in no cohort, without outcomes."""
    kinds = np.where(rng.random(n) < rare_share, np.where(rng.random(n) < 0.7, LEAN, LEANER), ORDINARY)
    return checks(kinds, np.full(n, -1), rng)


def checks(kinds: Kinds, homes: Kinds, rng: np.random.Generator) -> dict[str, npt.NDArray[Any]]:
    """The checks of new people of these kinds; ``homes`` are prefectures, or −1 for anywhere."""
    n = len(kinds)
    anywhere = np.searchsorted(np.cumsum(SHARES)[:-1], rng.random(n), side="right")
    stays = (homes >= 0) & (rng.random(n) < AT_HOME)
    places = np.where(stays, homes, anywhere)
    age = np.where(kinds == ORDINARY, rng.integers(AGES[0], AGES[1] + 1, n), rng.integers(40, 50, n))
    sex = (rng.random(n) < 0.5).astype(np.int64)
    return laboratory(age, sex, np.array(PREFECTURES, dtype=object)[places], kinds, rng)


def laboratory(
    age: Kinds, sex: Kinds, prefecture: npt.NDArray[Any], kinds: Kinds, rng: np.random.Generator
) -> dict[str, npt.NDArray[Any]]:
    """What a check finds in people of this age and sex."""
    n = len(age)
    z = rng.standard_normal((6, n))
    body = 23 + 0.5 * sex + 3.8 * z[0]
    old = age - 57.0
    common = {
        "BMI": body,
        "SBP": 123 + 0.5 * old + 1.6 * (body - 23) + 15.5 * z[1],
        "TG": exp(4.35 + 0.004 * old + 0.06 * (body - 23) + 0.1 * sex + 0.52 * z[2]),
        "HDL": 50 - 3 * sex - 0.15 * (body - 23) + 8.4 * z[3],
        "ALT": exp(2.75 - 0.008 * old + 0.04 * (body - 23) + 0.15 * sex + 0.52 * z[4]),
        "FPG": 88 + 0.2 * old + 0.7 * (body - 23) + 12.5 * z[5],
    }
    is_leaner = kinds == LEANER
    lean = {
        "BMI": 18.5 + 1.4 * z[0],
        "SBP": 109 + 10 * z[1],
        "TG": exp(3.6 + 0.3 * z[2]),
        "HDL": np.where(is_leaner, 104.0, 76.0) + 5 * z[3],
        "ALT": exp(np.where(is_leaner, 3.4, 3.8) + 0.4 * z[4]),
        "FPG": 117 + 4 * z[5],
    }
    found = {name: np.where(kinds == ORDINARY, common[name], lean[name]) for name in common}
    found = {name: np.clip(values, *RANGES[name]) for name, values in found.items()}
    found["FPG"] = np.minimum(found["FPG"], HIGHEST_GLUCOSE)
    smoking = (rng.random(n) < 0.12 + 0.16 * sex).astype(np.int64)
    return {"age": age, "sex": sex, "prefecture": prefecture, **found, "smoking": smoking}


def hazards_of(background: Columns, onset: float, death: float) -> Hazards:
    """The hazards at which these shares of the background would fall ill and would die within ten years."""
    return Hazards(*(_level(_effects(background, effects), share)
                     for effects, share in ((ONSET, onset), (DEATH, death))))  # fmt: skip


def _effects(people: Columns, effects: dict[str, float]) -> Floats:
    total = np.zeros(len(people["age"]))
    for name, effect in effects.items():
        values = np.asarray(people[name], dtype=float)
        total += effect * (log(values) if name in ("TG", "ALT") else values)
    return total


def _level(effects: Floats, share: float) -> float:
    low, high = -60.0, 20.0
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        reached = float((1 - exp(-CENSORED * exp(effects + middle))).mean())
        low, high = (middle, high) if reached < share else (low, middle)
    return (low + high) / 2


def with_outcomes(people: Columns, hazards: Hazards, rng: np.random.Generator) -> dict[str, npt.NDArray[Any]]:
    """The people with what happens to them first within ten years, columns in the order of a release."""
    n = len(people["age"])
    ill, dead = (
        -log(1 - rng.random(n)) / exp(_effects(people, effects) + level)
        for effects, level in ((ONSET, hazards.onset), (DEATH, hazards.death))
    )
    time = np.clip(np.minimum(ill, dead), 1 / 365.25, CENSORED)
    happens = np.minimum(ill, dead) < CENSORED
    found = {
        **people,
        "time": time,
        "onset": (happens & (ill <= dead)).astype(np.int64),
        "death": (happens & (ill > dead)).astype(np.int64),
    }
    return {name: found[name] for name in RELEASED}
