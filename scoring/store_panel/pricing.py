"""What wrong elasticities cost: optimal mark-ups and the profit that they leave."""

from __future__ import annotations

from arithmetic import power


def optimal_markup(elasticity: float) -> float | None:
    """Optimal mark-up over marginal cost, 1 / (|β| − 1), as a share (equation 10).

    None, "not meaningful" (NM), where demand is not elastic, |β| ≤ 1, or rises with the price.

    >>> optimal_markup(-1.5), optimal_markup(-0.27)
    (2.0, None)
    """
    return 1 / (-elasticity - 1) if elasticity < -1 else None


def profit_ratio(estimated: float, true: float) -> float | None:
    """Π(P̂)/Π(P) = (β+1)/(β̂+1) · ((β+1)β̂ / ((β̂+1)β))^β (equation 11): from 0 to 1, best 1.

    P̂ is the price that looks optimal with the estimated elasticity β̂, P the one that is with the true β; both
    profits are made under the true one. None, "not available" (NA), where a mark-up is not meaningful.

    >>> profit_ratio(-1.5, -1.5), profit_ratio(-0.27, -1.54)
    (1.0, None)
    """
    if optimal_markup(estimated) is None or optimal_markup(true) is None:
        return None
    share = (true + 1) / (estimated + 1)
    return share * float(power(share * estimated / true, true))
