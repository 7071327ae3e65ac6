"""Invented data in the shape of the contest's: a base table of users, and tables of people made from one.

The organisers published neither their program nor a description of it, so this is the platform's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from games.contract.tables import Columns

from .layout import ATTRIBUTES, NAME, Integers

AGES = (1, 18, 25, 35, 45, 50, 56)
AGE_SHARES = (4, 18, 35, 20, 9, 8, 6)
"""Per cent of the users."""
WOMEN = 28
"""Per cent of the users."""
OCCUPATIONS = 21
ZIPS = 1000
TASTES = 8
FROM_FIRST, FROM_SECOND = 60, 30
"""Per cent of a person's ratings that come from the first and the second user; the others from anybody."""
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
    is_woman = rng.integers(0, 100, n_users) < WOMEN
    taste = (age + 4 * is_woman + rng.integers(0, 3, n_users)) % TASTES
    base: dict[str, np.ndarray] = {
        "User ID": np.arange(1, n_users + 1),
        "Gender": np.where(is_woman, "F", "M").astype(object),
        "Age": np.array(AGES)[age],
        "Occupation": rng.integers(0, OCCUPATIONS, n_users),
        "ZIP-code": rng.integers(0, ZIPS, n_users),
    }
    for movie in movies:
        seen_by = rng.integers(20, 95, TASTES)
        usual = rng.integers(1, 6, TASTES)
        rating = np.clip(usual[taste] + rng.integers(-1, 2, n_users), 1, 5)
        base[movie] = np.where(rng.integers(0, 100, n_users) < seen_by[taste], rating, 0)
    return base


def table_of_people(
    base: Columns, movies: Sequence[str], n_people: int, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """People who each have the attributes of one user and ratings of two users, some of anybody."""
    n_users = len(base["Age"])
    first, second = rng.integers(0, n_users, n_people), rng.integers(0, n_users, n_people)
    table: dict[str, np.ndarray] = {NAME: _names(n_people, rng)}
    table |= {name: base[name][first] for name in ATTRIBUTES}
    for movie in movies:
        anybody = rng.integers(0, n_users, n_people)
        table[movie] = base[movie][_one_of(first, second, anybody, rng.integers(0, 100, n_people))]
    return table


def _one_of(first: Integers, second: Integers, anybody: Integers, drawn: Integers) -> Integers:
    later = np.where(drawn < FROM_FIRST + FROM_SECOND, second, anybody)
    return np.where(drawn < FROM_FIRST, first, later)


def _names(n_people: int, rng: np.random.Generator) -> np.ndarray:
    """Distinct names in an order that tells nothing."""
    chosen = rng.permutation(MOST_NAMES)[:n_people]
    pairs = (divmod(int(number), len(LAST_NAMES)) for number in chosen)
    return np.array([f"{FIRST_NAMES[first]} {LAST_NAMES[last]}" for first, last in pairs], dtype=object)
