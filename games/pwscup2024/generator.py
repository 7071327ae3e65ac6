"""Invented data in the shape of the contest's: a base table of users, and tables of people made from one.

The organisers published neither their program nor a description of it, so this is the platform's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import numpy.typing as npt

from games.contract.tables import Columns

from .layout import ATTRIBUTES, NAME, RATINGS, Integers

AGES = (1, 18, 25, 35, 45, 50, 56)
AGE_SHARES = (4, 18, 35, 20, 9, 8, 6)
"""Per cent of the users."""
WOMEN = 28
"""Per cent of the users."""
OCCUPATIONS = 21
ZIPS = 1000
TASTES = 8
KEPT_ATTRIBUTES = 20
KEPT_RATINGS = 60
FIRST_NAMES = tuple(map("".join, product(
    ("A", "Be", "Ca", "Da", "E", "Fi", "Ge", "Ha", "I", "Jo"),
    ("ba", "da", "la", "lo", "mi", "na", "ra", "ri", "ta", "vo"),
)))  # fmt: skip
LAST_NAMES = tuple(map("".join, product(
    ("Bar", "Dor", "Fen", "Gal", "Hol", "Kam", "Lin", "Mor"), "aeiou", ("by", "ck", "ld", "n", "sen")
)))  # fmt: skip
MOST_NAMES = len(FIRST_NAMES) * len(LAST_NAMES)


def invented_base(n_users: int, movies: Sequence[str], rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Users whose taste depends on age and gender, and whose ratings depend on their taste."""
    age = np.repeat(np.arange(len(AGES)), AGE_SHARES)[rng.integers(0, 100, n_users)]
    is_woman = _happens(WOMEN, n_users, rng)
    taste = (age + 4 * is_woman + rng.integers(0, 3, n_users)) % TASTES
    base: dict[str, np.ndarray] = {
        "User ID": np.arange(1, n_users + 1),
        "Gender": np.where(is_woman, "F", "M").astype(object),
        "Age": np.array(AGES)[age],
        "Occupation": rng.integers(0, OCCUPATIONS, n_users),
        "ZIP-code": rng.integers(0, ZIPS, n_users),
    }
    for movie in movies:
        seen_by = rng.integers(5, 60, TASTES)
        usual = rng.integers(1, 6, TASTES)
        rating = np.clip(usual[taste] + rng.integers(-1, 2, n_users), 1, 5)
        base[movie] = np.where(_happens(seen_by[taste], n_users, rng), rating, 0)
    return base


def table_of_people(
    base: Columns, movies: Sequence[str], n_people: int, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """People who each resemble one user, some more and some less.

    An attribute is the user's with `KEPT_ATTRIBUTES` per cent, else any value that occurs in its column. A
    rating is the user's with a chance of the person's own, up to `KEPT_RATINGS` per cent, else any rating.
    """
    user = rng.integers(0, len(base["Age"]), n_people)
    kept = rng.integers(0, KEPT_RATINGS + 1, n_people)
    table: dict[str, np.ndarray] = {NAME: _names(n_people, rng)}
    for name in ATTRIBUTES:
        values = np.unique(base[name])
        drawn = values[rng.integers(0, len(values), n_people)]
        table[name] = np.where(_happens(KEPT_ATTRIBUTES, n_people, rng), base[name][user], drawn)
    for movie in movies:
        drawn = rng.integers(0, RATINGS, n_people)
        table[movie] = np.where(_happens(kept, n_people, rng), base[movie][user], drawn)
    return table


def _happens(per_cent: int | Integers, n: int, rng: np.random.Generator) -> npt.NDArray[np.bool_]:
    return rng.integers(0, 100, n) < per_cent


def _names(n_people: int, rng: np.random.Generator) -> np.ndarray:
    """Distinct names in an order that tells nothing."""
    chosen = rng.permutation(MOST_NAMES)[:n_people]
    pairs = (divmod(int(number), len(LAST_NAMES)) for number in chosen)
    return np.array([f"{FIRST_NAMES[first]} {LAST_NAMES[last]}" for first, last in pairs], dtype=object)
