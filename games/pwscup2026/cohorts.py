"""Who is in which cohort: people of one cohort alone, and people whom each pair of cohorts shares."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .layout import N_COHORTS
from .population import LEAN, LEANER, ORDINARY, PREFECTURES, Kinds

RARE_ALONE = {LEAN: 9, LEANER: 4}
"""Rare people of a cohort who are in no other, by kind: 13."""
RARE_SHARED = {LEAN: (1, 1, 2, 2), LEANER: (3, N_COHORTS // 2)}
"""The cohorts in a circle; each shares a rare person with those so many places on, and so many back: 8 and 3.

So a cohort has 17 rare people of one kind and 7 of the other, 11 of them shared, two at most with any other.
"""


class Plan(NamedTuple):
    """Everybody in a cohort: the kind, the home (a prefecture or −1), and the cohorts' lists of people."""

    kinds: Kinds
    homes: Kinds
    cohorts: tuple[Kinds, ...]


def planned(alone: int, shared: int, rng: np.random.Generator) -> Plan:
    """``alone`` ordinary people in each cohort only, ``shared`` in each pair; rare ones as in the contest.

    The lists are shuffled, and the numbers of the people say nothing about them.
    """
    circle = rng.permutation(N_COHORTS)
    home = rng.integers(0, len(PREFECTURES), N_COHORTS)
    people: list[tuple[int, int, tuple[int, ...]]] = []
    for cohort in range(N_COHORTS):
        for kind, count in {ORDINARY: alone, **RARE_ALONE}.items():
            people += [(kind, int(home[cohort]), (cohort,))] * count
        for other in range(cohort):
            people += [(ORDINARY, -1, (cohort, other))] * shared
    for kind, places_on in RARE_SHARED.items():
        for on in places_on:
            n_pairs = N_COHORTS if 2 * on != N_COHORTS else on
            people += [
                (kind, -1, (int(circle[first]), int(circle[(first + on) % N_COHORTS])))
                for first in range(n_pairs)
            ]
    numbers = rng.permutation(len(people))
    kinds, homes = np.zeros(len(people), dtype=np.int64), np.zeros(len(people), dtype=np.int64)
    lists: list[list[int]] = [[] for _ in range(N_COHORTS)]
    for number, (kind, place, inside) in zip(numbers.tolist(), people, strict=True):
        kinds[number], homes[number] = kind, place
        for cohort in inside:
            lists[cohort].append(number)
    return Plan(kinds, homes, tuple(rng.permutation(np.array(one, dtype=np.int64)) for one in lists))
