"""The house attacks: from what is public about the tasks to one number from 0 to 1 per challenge point."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from arithmetic import exp, log1p, minimise, product
from games.seek.distances import nearest
from games.seek.roc import Floats, Labels
from games.seek.signals import LARGEST, MEAN, SIGNALS, Exhibit, by_unit, ranked

DEPTHS = (5, 10, 20, 30, 40, 50)
"""The neighbours whose distances the shadow classifier also sees."""
PENALTY = 1.0
"""Of the squared coefficients of the shadow classifier."""


def answers(
    name: str,
    exhibits: Mapping[str, Exhibit],
    known: Mapping[str, Labels],
    rng: np.random.Generator,
) -> dict[str, Floats]:
    """The answer of a house attack to each task; ``known`` holds the truth of the open ones."""
    if name == "blind":
        return {key: rng.random(shown.n_units) for key, shown in exhibits.items()}
    if name == "constant":
        return {key: np.full(shown.n_units, 0.5) for key, shown in exhibits.items()}
    if name == "shadow":
        return _by_classifier(exhibits, known)
    signal, how = SIGNALS[name.removesuffix("-max")], LARGEST if name.endswith("-max") else MEAN
    return {key: ranked(by_unit(signal(shown), shown, how)) for key, shown in exhibits.items()}


def features(shown: Exhibit) -> Floats:
    """The signals and the distances at several depths, each as ranks within its task."""
    signals = [signal(shown) for signal in SIGNALS.values()]
    columns = [by_unit(signal, shown, how) for signal in signals for how in (MEAN, LARGEST)]
    distances = nearest(shown.rows, shown.released, max(DEPTHS))
    for depth in DEPTHS:
        columns.append(by_unit(-distances[:, min(depth, distances.shape[1]) - 1], shown))
    return np.column_stack([ranked(column) for column in columns]) - 0.5


def _by_classifier(exhibits: Mapping[str, Exhibit], known: Mapping[str, Labels]) -> dict[str, Floats]:
    """Logistic regression that learns from the open tasks; the mean of all features where there are none."""
    seen = {key: features(shown) for key, shown in exhibits.items()}
    learnt = [key for key in seen if key in known]
    if not learnt:
        return {key: ranked(product(values, np.ones(values.shape[1]))) for key, values in seen.items()}
    weights = fitted(
        np.concatenate([seen[key] for key in learnt]), np.concatenate([known[key] for key in learnt])
    )
    return {key: _sigmoid(_with_constant(values), weights) for key, values in seen.items()}


def fitted(columns: Floats, labels: npt.NDArray[Any]) -> Floats:
    """The coefficients of a ridge logistic regression, the constant first."""
    with_constant, member = _with_constant(columns), (labels == 1).astype(float)

    def objective(weights: Floats) -> tuple[float, Floats]:
        line = product(with_constant, weights)
        loss = np.maximum(line, 0) - line * member + log1p(exp(-np.abs(line)))
        slope = product(with_constant.T, _sigmoid(with_constant, weights) - member)
        shrunk = np.concatenate([[0.0], weights[1:]])
        size = float(product(shrunk, shrunk))
        return math.fsum(loss) + PENALTY / 2 * size, slope + PENALTY * shrunk

    return minimise(objective, np.zeros(with_constant.shape[1])).x


def _with_constant(columns: Floats) -> Floats:
    return np.column_stack([np.ones(len(columns)), columns])


def _sigmoid(columns: Floats, weights: Floats) -> Floats:
    """1 / (1 + exp(−x)), without large exponentials."""
    line = product(columns, weights)
    small = exp(-np.abs(line))
    chances: Floats = np.where(line >= 0, 1 / (1 + small), small / (1 + small))
    return chances
