"""Who is at risk in a panel: risk for growing quasi-identifiers, its distribution, and what goes with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from scoring.panel.logistic import Logistic, logistic
from scoring.risk.individual_risk import risks
from scoring.risk.panel import panel_of, require_columns

BINS = 20


@dataclass(frozen=True, eq=False)
class RiskReport:
    """The figures 5 and 6 and the table A6 of the paper, for one panel."""

    growth: list[dict[str, Any]]
    """By number of brands: brand added, people, quasi-identifiers, unicity, sno-unicity."""
    risk: npt.NDArray[np.float64]
    """IR by person, for all brands."""
    iteration: npt.NDArray[np.int64]
    """By person, the iteration of snowballing that finds them; 0 for never."""
    model: Logistic | None

    @property
    def found(self) -> npt.NDArray[np.float64]:
        """IR of those who can be found."""
        return self.risk[self.iteration > 0]

    def histogram(self) -> list[int]:
        """How many of those who can be found have an IR in each of twenty equal bins from 0 to 1."""
        return np.histogram(self.found, bins=BINS, range=(0.0, 1.0))[0].tolist()

    def by_iteration(self) -> list[dict[str, Any]]:
        """For every iteration: how many it finds, and quartiles and mean of their IR."""
        lines = []
        for level in range(1, int(self.iteration.max(initial=0)) + 1):
            risk = self.risk[self.iteration == level]
            low, middle, high = np.quantile(risk, [0.25, 0.5, 0.75]).tolist()
            lines.append(
                {
                    "iteration": level,
                    "people": len(risk),
                    "lower_quartile": low,
                    "median": middle,
                    "upper_quartile": high,
                    "mean": float(risk.mean()),
                }
            )
        return lines

    def as_document(self) -> dict[str, Any]:
        return {
            "growth": self.growth,
            "people": len(self.risk),
            "people_at_risk": len(self.found),
            "histogram": {"from": 0.0, "to": 1.0, "people": self.histogram()},
            "by_iteration": self.by_iteration(),
            "high_risk_model": self.model.rows() if self.model else None,
        }


def risk_report(
    table: pd.DataFrame, id: str, brands: Sequence[str], period: str | None = None, spend: str | None = None
) -> RiskReport:
    """Unicity and sno-unicity as brands are added, individual risks, and a model of who has a high one.

    ``brands`` are columns of units, the largest brand first; the quasi-identifier of a record is its period
    and its units of the first b brands, for b = 1 … J. A record without any unit of them does not count for
    b, nor does a person without any record: as if only those brands had been sold.

    The model is a logistic regression: is the individual risk above the median, given mean units per record,
    number of brands ever bought, and total spend (where a column gives it)? It is None where the data cannot
    support it.

    Reference: Li, Schneider, Yu, Gupta, "Reidentification Risk in Panel Data" (2022), section 5.1: Figures 5
    and 6; Table A6.

    >>> from scoring.examples import four_panelists
    >>> report = risk_report(four_panelists(), "panelist", ["lays", "ruffles"], "week")
    >>> [(line["unicity"], line["sno_unicity"]) for line in report.growth]
    [(0.0, 0.0), (0.25, 1.0)]
    >>> [line["people"] for line in report.by_iteration()]
    [1, 2, 1]
    """
    from scoring.risk.peeling import snowball

    if not brands:
        raise ValueError("A risk report needs at least one column of units beside the period.")
    require_columns(table, [id, *brands, *([period] if period else []), *([spend] if spend else [])])
    _require_units(table, [*brands, *([spend] if spend else [])])
    growth = []
    for count in range(1, len(brands) + 1):
        chosen, kept = list(brands[:count]), _bought(table, brands[:count])
        panel = panel_of(kept, id, [*([period] if period else []), *chosen])
        rolled = snowball(panel)
        people = max(panel.n_people, 1)
        growth.append(
            {
                "brands": count,
                "added": str(chosen[-1]),
                "people": panel.n_people,
                "quasi_identifiers": panel.n_groups,
                "unicity": int((rolled.iteration == 1).sum()) / people,
                "sno_unicity": int((rolled.iteration > 0).sum()) / people,
            }
        )
    risk = risks(rolled)[0]
    return RiskReport(growth, risk, rolled.iteration, _model(kept, id, brands, spend, risk))


def _bought(table: pd.DataFrame, brands: Sequence[str]) -> pd.DataFrame:
    return table.take(np.flatnonzero((table[list(brands)].to_numpy() > 0).any(axis=1)))


def _require_units(table: pd.DataFrame, columns: Sequence[str]) -> None:
    for name in columns:
        column = table[name]
        if not pd.api.types.is_numeric_dtype(column) or not np.isfinite(column.to_numpy(dtype=float)).all():
            raise ValueError(f"The column {name!r} must hold finite numbers in every row.")


def _model(
    table: pd.DataFrame, id: str, brands: Sequence[str], spend: str | None, risk: npt.NDArray[np.float64]
) -> Logistic | None:
    """People come in the sorted order of their ids, as in `panel_of`."""
    units = table[list(brands)].to_numpy(dtype=np.float64)
    person = table[id].to_numpy()
    by_record = pd.DataFrame({"person": person, "units": units.sum(axis=1)})
    by_brand = pd.DataFrame(units > 0, columns=list(brands)).groupby(person, sort=True).any()
    columns = {
        "mean units a record": by_record.groupby("person", sort=True)["units"].mean().to_numpy(),
        "brands ever bought": by_brand.sum(axis=1).to_numpy(dtype=np.float64),
    }
    if spend:
        total = table[spend].groupby(person, sort=True).sum()
        columns["total spend"] = total.to_numpy(dtype=np.float64)
    middle = np.median(risk) if len(risk) else 0.0
    # Where half of all people have the highest risk there is, nobody is above the median.
    high = risk > middle if (risk > middle).any() else risk >= middle
    return logistic(high, columns)
