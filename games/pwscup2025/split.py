"""The split of the rows into those that a regression is fitted on and those held out."""

from __future__ import annotations

import math

import numpy as np

from .layout import Integers

SEED = 42
HELD_OUT = 0.2


def stratified_split(labels: Integers) -> tuple[Integers, Integers]:
    """The rows for training and for test, each class by its share: scikit-learn's stratified split.

    Labels are 0 or 1. The rows of each class are permuted; the first go to training, the next to test.
    """
    # A published part of the measure: the split is the same for everybody, so it has a seed of its own.
    random = np.random.RandomState(SEED)
    classes = [np.flatnonzero(labels == value) for value in np.unique(labels)]
    counts = np.array([len(rows) for rows in classes])
    n_test = math.ceil(HELD_OUT * len(labels))
    n_train = len(labels) - n_test
    training = allocation(counts, n_train, random)
    test = allocation(counts - training, n_test, random)
    first: list[Integers] = []
    second: list[Integers] = []
    for rows, n_first, n_second in zip(classes, training, test, strict=True):
        permuted = rows[random.permutation(len(rows))]
        first.append(permuted[:n_first])
        second.append(permuted[n_first : n_first + n_second])
    return random.permutation(np.concatenate(first)), random.permutation(np.concatenate(second))


def allocation(counts: Integers, n: int, random: np.random.RandomState) -> Integers:
    """How many of n rows each class gets: its share, rounded so that the sum is n.

    >>> allocation(np.array([70, 30]), 25, np.random.RandomState(0)).tolist()
    [17, 8]
    """
    exact = counts / counts.sum() * n
    given = np.floor(exact)
    missing = int(n - given.sum())
    rest = exact - given
    for value in np.unique(rest)[::-1]:
        if missing <= 0:
            break
        (places,) = np.nonzero(rest == value)
        # Where only one class has this rest, the call still uses up random numbers.
        chosen = random.choice(places, size=min(len(places), missing), replace=False)
        given[chosen] += 1
        missing -= len(chosen)
    return given.astype(np.int64)
