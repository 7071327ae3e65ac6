"""Brand metrics of a panel with one column of units per brand, and their distortion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BrandMetrics:
    """By brand, in the order of the columns; all but the sales in percent."""

    market_share: Floats
    requirements: Floats
    """Share of category requirements (SCR)."""
    switching: Floats
    sales: Floats


def brand_metrics(table: pd.DataFrame, id: str, brands: Sequence[str]) -> BrandMetrics:
    """Market share, share of category requirements, brand switching and sales of every brand.

    A trip chooses the brands of which it has at least one unit. With c_hj the choices of brand j by panelist
    h, and s_jj′ the pairs of consecutive trips of one panelist that chose j and then j′:

        share_j = Σ_h c_hj / Σ_hi c_hi,   SCR_j = mean over h of c_hj / Σ_i c_hi,
        switching_j = 1 − s_jj / Σ_j′ s_jj′,   sales_j = Σ units.

    Trips of a panelist follow each other in the order of the table. Panelists who chose nothing are left out
    of SCR; switching of a brand that nobody followed by anything is NaN.

    Reference: Li, Schneider, Yu, Gupta, "Reidentification Risk in Panel Data" (2022), section 5.3.

    >>> trips = pd.DataFrame({"who": list("AAAB"), "tea": [1, 0, 2, 0], "cake": [0, 3, 0, 1]})
    >>> metrics = brand_metrics(trips, "who", ["tea", "cake"])
    >>> metrics.market_share.tolist(), metrics.sales.tolist()
    ([50.0, 50.0], [3.0, 4.0])
    >>> metrics.requirements.round(4).tolist(), metrics.switching.tolist()
    ([33.3333, 66.6667], [100.0, 100.0])
    """
    units = table[list(brands)].to_numpy(dtype=np.float64)
    chosen = (units > 0).astype(np.float64)
    person = np.asarray(pd.factorize(table[id])[0])
    order = np.argsort(person, kind="stable")
    person, ordered = person[order], chosen[order]
    by_person = np.zeros((int(person.max(initial=-1)) + 1, len(brands)))
    np.add.at(by_person, person, ordered)
    buyers = by_person[by_person.sum(axis=1) > 0]
    same = person[1:] == person[:-1]
    pairs = ordered[:-1][same].T @ ordered[1:][same]
    with np.errstate(invalid="ignore", divide="ignore"):
        return BrandMetrics(
            market_share=100 * chosen.sum(axis=0) / chosen.sum(),
            requirements=100 * (buyers / buyers.sum(axis=1, keepdims=True)).mean(axis=0),
            switching=100 * (1 - np.diag(pairs) / pairs.sum(axis=1)),
            sales=units.sum(axis=0),
        )


def mapd(original: npt.ArrayLike, protected: npt.ArrayLike) -> float:
    """Mean absolute percentage deviation: (100/J) Σ_j |x′_j − x_j| / |x_j|; NaN and 0 in x are left out.

    NaN where nothing is left.

    Reference: Li, Schneider, Yu, Gupta (2022), footnote 8.

    >>> mapd([50.0, 20.0], [45.0, 22.0])
    10.0
    """
    before, after = np.asarray(original, dtype=np.float64), np.asarray(protected, dtype=np.float64)
    known = np.isfinite(before) & np.isfinite(after) & (before != 0)
    if not known.any():
        return float("nan")
    return float(100 * np.mean(np.abs(after[known] - before[known]) / np.abs(before[known])))


def equilibrium_markup(price_coefficient: float, market_share: npt.ArrayLike) -> Floats:
    """Optimal mark-up 1 / (α (1 − share_j)) under vertical Nash competition; shares in percent.

    α is the size of the price coefficient of a logit brand choice model (Besanko et al. 1998, equation 7a).

    >>> equilibrium_markup(-2.0, [50.0, 0.0]).tolist()
    [1.0, 0.5]
    """
    share = np.asarray(market_share, dtype=np.float64) / 100
    return 1.0 / (abs(price_coefficient) * (1.0 - share))
