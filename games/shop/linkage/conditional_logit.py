"""A conditional logit: which of its candidates is a released customer?"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from arithmetic import exp, log, minimise, product
from datasets.tables import Integers
from games.shop.linkage.evidence import FAMILIES, SOURCES, Evidence, Similarities

Floats = npt.NDArray[np.float64]

SHRINKAGE = 1e-3


def features(found: Evidence) -> Floats:
    """Of every source: similarity, lead over the row's best other candidate, and both times its agreement."""
    lead = leads(found)
    trust = agreement(found, lead)
    return np.hstack([found.similarity, lead, found.similarity * trust, lead * trust])


def chances(found: Evidence, weights: Floats) -> Floats:
    """P(j | i) of every pair, as of ``features(found) @ weights``, but without making the features."""
    lead = leads(found)
    trust = agreement(found, lead)
    value, ahead, trusted_value, trusted_ahead = weights.reshape(4, len(SOURCES))
    score = np.zeros(len(found.released))
    for source in range(len(SOURCES)):
        score += found.similarity[:, source] * (value + trust * trusted_value)[source]
        score += lead[:, source] * (ahead + trust * trusted_ahead)[source]
    return probabilities(score, found.released)


def leads(found: Evidence) -> Similarities:
    return np.column_stack([_lead(found, values) for values in found.similarity.T])


def _lead(found: Evidence, values: Similarities) -> Similarities:
    """How far a pair is ahead of the row's best other pair (negative: behind)."""
    best = np.full(found.n_released, -np.inf, dtype=np.float32)
    np.maximum.at(best, found.released, values)
    is_best = values == best[found.released]
    n_best = np.bincount(found.released[is_best], minlength=found.n_released)
    second = np.zeros(found.n_released, dtype=np.float32)
    np.maximum.at(second, found.released[~is_best], values[~is_best])
    second = np.where(n_best > 1, best, second)
    return values - np.where(is_best, second[found.released], best[found.released])


def agreement(found: Evidence, lead: Similarities) -> Floats:
    """For every source the share of rows whose leader also leads in a source of another family.

    It needs no truth: a source that was scrambled in the entry agrees with no other.
    """
    ahead = lead > 0
    family = np.array(FAMILIES)
    share = np.zeros(len(family))
    for source in range(len(family)):
        backed = ahead[:, source] & ahead[:, family != family[source]].any(axis=1)
        share[source] = backed.sum() / max(found.n_released, 1)
    return share


def fit(parts: list[tuple[Floats, Integers, npt.NDArray[np.bool_]]]) -> Floats:
    """Weights that make the right candidates likeliest: max Σ_i log P(right | i) − λ‖β‖².

    P(j | i) = exp(β · x_ij) / Σ_k exp(β · x_ik). Each part has features, rows and which pairs are right; rows
    whose right candidate is not listed teach nothing and are left out.
    """
    x, row, right = _stacked(parts)
    start = np.concatenate([np.ones(x.shape[1] // 2), np.zeros(x.shape[1] - x.shape[1] // 2)])
    if not right.any():
        return start

    def loss(weights: Floats) -> tuple[float, Floats]:
        chance = probabilities(product(x, weights), row)
        n_rows = right.sum()
        value = -log(np.maximum(chance[right], 1e-300)).sum() / n_rows
        value += SHRINKAGE * product(weights, weights)
        gradient = product(x.T, chance - right) / n_rows + 2 * SHRINKAGE * weights
        return float(value), gradient

    return minimise(loss, start).x


def _stacked(
    parts: list[tuple[Floats, Integers, npt.NDArray[np.bool_]]],
) -> tuple[Floats, Integers, npt.NDArray[np.bool_]]:
    features_kept, rows, rights, offset = [], [], [], 0
    for x, row, right in parts:
        taught = np.zeros(int(row.max(initial=-1)) + 1, dtype=bool)
        taught[row[right]] = True
        kept = taught[row]
        features_kept.append(x[kept])
        rows.append(row[kept] + offset)
        rights.append(right[kept])
        offset += len(taught)
    return np.vstack(features_kept), np.concatenate(rows), np.concatenate(rights)


def probabilities(score: Floats, row: Integers) -> Floats:
    """Softmax within each row.

    >>> probabilities(np.array([0.0, 0.0, 5.0]), np.array([0, 0, 1])).tolist()
    [0.5, 0.5, 1.0]
    """
    if len(score) == 0:
        return score
    n_rows = int(row.max()) + 1
    top = np.full(n_rows, -np.inf)
    np.maximum.at(top, row, score)
    odds = exp(score - top[row])
    return odds / np.bincount(row, weights=odds, minlength=n_rows)[row]
