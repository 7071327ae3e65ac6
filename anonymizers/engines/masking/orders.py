"""The order M of every pair in the log-bilinear odds ratio, Qian and Xie (4): given, or chosen by test."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from anonymizers.anonymizer import ParameterError
from anonymizers.engines.masking.columns import Predictor
from anonymizers.engines.masking.grid import Floats
from anonymizers.engines.masking.odds_ratio import OddsRatio, fit_odds_ratio

MAX_ORDER = 4
LEVEL = 0.05


def parse_order(text: str) -> int | dict[tuple[str, str], int] | None:
    """``2`` for all pairs, ``auto`` (None) for a choice by test, or pairs with 1 for all others.

    >>> parse_order("2"), parse_order("auto"), parse_order("X2:S1=2, X3:S1=1")
    (2, None, {('X2', 'S1'): 2, ('X3', 'S1'): 1})
    """
    if text == "auto":
        return None
    if text.isdigit() and 1 <= int(text) <= MAX_ORDER:
        return int(text)
    pairs = {}
    for part in text.split(","):
        pair, equals, order = part.partition("=")
        secret, colon, predictor = pair.strip().partition(":")
        if not (equals and colon and order.strip().isdigit() and 1 <= int(order) <= MAX_ORDER):
            raise ParameterError(
                f"The 'order' parameter must be an integer from 1 to {MAX_ORDER}, auto, or pairs such as "
                f"price:age=2. Got {text} instead."
            )
        pairs[secret.strip(), predictor.strip()] = int(order)
    return pairs


def refuse_unknown_pairs(order: str, secrets: Sequence[str], given: Sequence[str]) -> None:
    """A pair is a confidential column and a given or an earlier confidential one; anything else is a mistake.

    >>> refuse_unknown_pairs("X2:S1=2, X2:X1=2", ["X1", "X2"], ["S1"])
    """
    wanted = parse_order(order)
    for secret, predictor in wanted if isinstance(wanted, dict) else ():
        before = secrets[: secrets.index(secret)] if secret in secrets else ()
        if secret not in secrets or (predictor not in given and predictor not in before):
            raise ParameterError(
                f"The 'order' parameter names the pair {secret}:{predictor}. Expected a confidential column "
                f"({', '.join(secrets)}) and a numeric given or an earlier confidential one."
            )


def given_orders(
    order: int | Mapping[tuple[str, str], int], secret: str, predictors: Sequence[Predictor]
) -> list[int]:
    """The order of every predictor of a secret; a dummy has order 1, since its powers say the same."""
    wanted = (
        order if isinstance(order, int) else order.get((secret, predictor.name), 1)
        for predictor in predictors
    )
    return [1 if predictor.dummy else m for predictor, m in zip(predictors, wanted, strict=True)]


def powers(values: Sequence[Floats], centres: Sequence[float], orders: Sequence[int]) -> Floats:
    """The terms (S − S_0)^m, m = 1 … M, of every predictor side by side.

    >>> powers([np.array([1.0, 3.0])], [2.0], [2]).tolist()
    [[-1.0, 1.0], [1.0, 1.0]]
    """
    terms = [
        np.prod([column - centre] * m, axis=0)
        for column, centre, order in zip(values, centres, orders, strict=True)
        for m in range(1, order + 1)
    ]
    return np.column_stack(terms) if terms else np.zeros((0, 0))


def chosen_orders(
    cells: Floats, predictors: Sequence[Predictor], terms_of: Callable[[Sequence[int]], Floats]
) -> tuple[list[int], OddsRatio]:
    """Raise the order of one predictor after another while the likelihood-ratio test calls for it.

    The statistic 2 (L_{m+1} − L_m) is compared with the 95 % point of χ² with one degree of freedom.
    """
    from scipy.stats import chi2

    bar = float(chi2.ppf(1 - LEVEL, 1)) / 2
    orders = [1] * len(predictors)
    best = fit_odds_ratio(cells, terms_of(orders))
    for place, predictor in enumerate(predictors):
        while not predictor.dummy and orders[place] < MAX_ORDER:
            higher = [*orders[:place], orders[place] + 1, *orders[place + 1 :]]
            model = fit_odds_ratio(cells, terms_of(higher))
            if not model.converged or model.log_likelihood - best.log_likelihood <= bar:
                break
            orders, best = higher, model
    return orders, best
