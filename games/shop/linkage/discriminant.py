"""A multinomial logit with one class per customer, learned in one pass: Gaussian, common covariance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arithmetic import eigen, exp, gram, product
from attacks.linkage.candidates import Candidates
from datasets.tables import Integers
from games.shop.linkage.customer_weeks import CustomerWeeks, Floats

LIST_LENGTH = 24
SHRINKAGE = 0.1
"""Share of the overall covariance in that within customers: some customers have a single week."""

LARGE, DIRECTIONS = 5000, 8
"""With more customers only the first directions count: a k-d tree is slow in many."""


@dataclass(frozen=True, eq=False)
class Discriminant:
    """``means[j]`` is the mean week of customer j in a space where weeks of one customer have covariance I.

    ``seen[j]`` says whether j has any week; ``transform`` maps features, less ``centre``, into that space.
    """

    means: Floats
    seen: npt.NDArray[np.bool_]
    centre: Floats
    transform: Floats


def learn(weeks: CustomerWeeks) -> Discriminant:
    """Means and common covariance of the customers' weeks, the latter shrunk to the overall covariance."""
    if len(weeks.x) == 0:
        width = weeks.x.shape[1]
        none = np.zeros(weeks.n_customers, dtype=bool)
        return Discriminant(np.zeros((weeks.n_customers, width)), none, np.zeros(width), np.eye(width))
    centre = weeks.x.mean(axis=0)
    centred = weeks.x - centre
    means, seen = _means(centred, weeks.customer, weeks.n_customers)
    inside = centred - means[weeks.customer]
    overall = gram(centred) / len(centred)
    free = max(len(inside) - int(seen.sum()), 1)
    covariance = (1 - SHRINKAGE) * gram(inside) / free + SHRINKAGE * overall
    values, vectors = eigen(covariance)
    # A direction in which nothing ever varies distinguishes nobody.
    scale = np.where(values > 1e-9 * max(values[-1], 1e-12), 1 / np.sqrt(np.maximum(values, 1e-300)), 0.0)
    transform = vectors * scale
    placed = product(means, transform)
    # Turned so that the first directions are those in which customers differ most.
    turn = eigen(gram(placed[seen]))[1][:, ::-1]
    if weeks.n_customers > LARGE:
        turn = turn[:, :DIRECTIONS]
    return Discriminant(product(placed, turn), seen, centre, product(transform, turn))


def likeliest(model: Discriminant, weeks: CustomerWeeks) -> Candidates:
    """For every released customer the likeliest known ones with their probabilities, in ascending rows.

    Σ_t ln P(j | x_t) = const − ½ m ‖x̄ − m_j‖² over the m weeks of a customer, so the nearest means win. A
    customer without a week is most likely one of those without any.
    """
    centred = product(weeks.x - model.centre, model.transform)
    asked, present = _means(centred, weeks.customer, weeks.n_customers)
    count = np.bincount(weeks.customer, minlength=weeks.n_customers)
    absent = np.flatnonzero(~model.seen)[:LIST_LENGTH]
    nothing = (absent, np.full(len(absent), 1 / max(len(absent), 1)))
    known = np.flatnonzero(model.seen)
    if len(known) == 0:
        return _listed([nothing] * weeks.n_customers)
    nearest, distance = _nearest(model.means[known], asked)
    # Rounding keeps the order of equal distances independent of the order of rows.
    chance = exp(-0.5 * np.maximum(count, 1)[:, None] * (distance**2 - distance[:, :1] ** 2))
    chance = np.round(chance / chance.sum(axis=1, keepdims=True), 9)
    lists = []
    for row in range(weeks.n_customers):
        if present[row]:
            order = np.argsort(nearest[row], kind="stable")
            lists.append((known[nearest[row][order]], chance[row][order]))
        else:
            lists.append(nothing)
    return _listed(lists)


def _nearest(means: Floats, asked: Floats) -> tuple[Integers, Floats]:
    from scipy.spatial import KDTree

    distance, place = KDTree(means).query(asked, k=min(LIST_LENGTH, len(means)))
    shape = (len(asked), -1)
    return np.asarray(place, dtype=np.int64).reshape(shape), np.round(distance, 9).reshape(shape)


def mean_weeks(x: Floats, customer: Integers, n_customers: int) -> tuple[Floats, Integers]:
    """The mean of each customer's weeks, and how many there are."""
    return _means(x, customer, n_customers)[0], np.bincount(customer, minlength=n_customers)


def _means(x: Floats, customer: Integers, n_customers: int) -> tuple[Floats, npt.NDArray[np.bool_]]:
    count = np.bincount(customer, minlength=n_customers)
    sums = [np.bincount(customer, weights=column, minlength=n_customers) for column in x.T]
    return np.column_stack(sums) / np.maximum(count, 1)[:, None], count > 0


def _listed(lists: list[tuple[Integers, Floats]]) -> Candidates:
    start = np.concatenate([[0], np.cumsum([len(rows) for rows, _ in lists])]).astype(np.int64)
    rows = np.concatenate([rows for rows, _ in lists]) if lists else np.empty(0, dtype=np.int64)
    return Candidates(start, rows, np.concatenate([chance for _, chance in lists]))
