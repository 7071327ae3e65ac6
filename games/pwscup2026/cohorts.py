"""Who is in which cohort: people of one cohort alone, and people whom each pair of cohorts shares.

The reference attacker's cohort is made last, of people whom others share and of people of its own, so that
the cohorts of teams have the sizes of the contest.
"""

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

MOST_RARE = 2
"""Rare people whom the reference attacker's cohort shares with any other, at most."""


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


class ReferencePlan(NamedTuple):
    """The reference attacker's cohort: people whom other cohorts share, and the kinds and home of its own."""

    known: Kinds
    kinds: Kinds
    homes: Kinds


def planned_reference(plan: Plan, alone: int, shared: int, rng: np.random.Generator) -> ReferencePlan:
    """A cohort as large as the others, which shares as many people with each of them as they do.

    Cohorts go in pairs; all ordinary people whom a pair shares are in it.
    """
    is_rare = plan.kinds != ORDINARY
    order = rng.permutation(N_COHORTS)
    known: list[int] = []
    for first, second in zip(order[::2].tolist(), order[1::2].tolist(), strict=True):
        both = np.intersect1d(plan.cohorts[first], plan.cohorts[second])
        known += both[~is_rare[both]].tolist()
    known += _rare_shared(plan, rng)
    n_pairs = N_COHORTS // 2
    own = {ORDINARY: alone + (N_COHORTS - 1 - n_pairs) * shared, **RARE_ALONE}
    kinds = np.repeat(list(own), list(own.values())).astype(np.int64)
    home = int(rng.integers(0, len(PREFECTURES)))
    return ReferencePlan(np.array(known, dtype=np.int64), kinds, np.full(len(kinds), home, dtype=np.int64))


def _rare_shared(plan: Plan, rng: np.random.Generator) -> list[int]:
    """As many rare people of each kind as other cohorts share, not too many of one cohort."""
    inside: dict[int, list[int]] = {}
    for cohort, people in enumerate(plan.cohorts):
        for person in people[plan.kinds[people] != ORDINARY].tolist():
            inside.setdefault(person, []).append(cohort)
    left = {kind: len(places_on) * 2 for kind, places_on in RARE_SHARED.items()}
    left[LEANER] -= 1  # half a circle on is half a circle back
    used = dict.fromkeys(range(N_COHORTS), 0)
    found = []
    for person in rng.permutation(sorted(one for one, where in inside.items() if len(where) > 1)).tolist():
        kind, where = int(plan.kinds[person]), inside[person]
        if left[kind] and all(used[cohort] < MOST_RARE for cohort in where):
            left[kind] -= 1
            found.append(person)
            for cohort in where:
                used[cohort] += 1
    return found
