"""Tables 1 and 2 of Qian and Xie beside our own averages: one row and one verdict for each printed figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tests.chance import errors_allowed
from tests.masking.printed import TABLE_1, TABLE_2
from tests.masking.simulation import Key

PRINTED_REPLICATIONS = 500
N_ROWS = sum(2 * len(columns) for table in TABLE_1.values() for columns in table.values()) + sum(
    2 * len(table) for table in TABLE_2.values()
)
LIMIT = errors_allowed(N_ROWS, freedom=PRINTED_REPLICATIONS - 1)
"""Errors between two averages beyond which chance puts one row of both tables in a million replays."""

MOST_APART = float(2 / np.sqrt(np.pi))
STOPPED_EARLY = {
    500: {"EMPD X2", "β42", "β51", "variance X2", "variance X3"},
    1000: {"EMPD X2", "β42", "β51", "variance X2", "variance X3", "mean X2", "mean X3", "ρ31", "ρ32"},
}
"""Printed figures of MORE that cannot belong to a maximum of the likelihood: the expected distance of X2
exceeds 2/√π = 1.128, the most that normal residuals of variance 1 allow, and the biases of β42, β51, ρ31 and
ρ32 grow with N. A search that stops early shows just that; docs/more.md has the details. In theory these
biases tend to 0: tests compare our figures with theory instead."""
SHIFT = 0.25
"""Deviations by which a printed average may differ without anybody being wrong: neither the orders M nor how
an empirical distribution function is made invertible are printed. In 500 replications the largest difference
of a row that is not listed above was 0.21 (C-GADP's mean of X1 at N = 1000)."""


@dataclass(frozen=True)
class Row:
    n: int
    method: str
    name: str
    ours: float
    deviation: float
    """Over our replications, or over the printed ones if that is larger."""
    replications: int
    printed: float

    @property
    def distance(self) -> float:
        """How many standard errors of both averages lie between ours and the printed one.

        The larger deviation, because that of 20 skewed values may be far too small; and where one of our
        values is extreme, the deviation grows with it. So the distance is no larger than one from a known
        deviation.
        """
        both = 1 / self.replications + 1 / PRINTED_REPLICATIONS
        return abs(self.ours - self.printed) / (self.deviation * both**0.5)

    @property
    def from_theory(self) -> float:
        """How many standard errors our average is away from what a maximum of the likelihood tends to.

        β51 has a bias at finite N, which must not exceed the printed one.
        """
        gap = abs(self.ours)
        if self.name == "EMPD X2":
            gap = max(0.0, self.ours - MOST_APART)
        elif self.name == "β51":
            gap = max(0.0, abs(self.ours) - abs(self.printed))
        return gap * self.replications**0.5 / self.deviation

    @property
    def agrees(self) -> bool:
        return self.distance <= LIMIT

    @property
    def surprises(self) -> bool:
        """Whether neither chance nor a known cause explains the difference."""
        both = (1 / self.replications + 1 / PRINTED_REPLICATIONS) ** 0.5
        return not self.documented and self.distance > LIMIT + SHIFT / both

    @property
    def documented(self) -> bool:
        return self.method != "c-gadp" and self.name in STOPPED_EARLY.get(self.n, ())

    def __str__(self) -> str:
        verdict = "agrees" if self.agrees else "disagrees"
        known = ", printed one stopped early" if self.documented else ""
        return (
            f"{self.method:<7} {self.name:<12}{self.ours:9.4f} ({self.deviation:.4f}){self.printed:10.4f}"
            f"{self.distance:6.1f}  {verdict}{known}"
        )


def compared(n: int, found: Mapping[Key, np.ndarray]) -> list[Row]:
    """One row for each figure that Tables 1 and 2 print for tables of n rows."""
    rows = []
    for criterion, columns in TABLE_1[n].items():
        for column, both in columns.items():
            for method, printed in zip(("c-gadp", "more-p"), both, strict=True):
                values = found[method, criterion, column]
                rows.append(_row(n, method, f"{criterion} {column}", values, printed))
    for name, both in TABLE_2[n].items():
        for method, printed in zip(("more-p", "more-s"), both, strict=True):
            rows.append(_row(n, method, name, found[method, name, ""], printed))
    return rows


def _row(n: int, method: str, name: str, values: np.ndarray, printed: tuple[float, float]) -> Row:
    mean, deviation = printed
    widest = max(float(values.std(ddof=1)), deviation)
    return Row(n, method, name, float(values.mean()), widest, len(values), mean)
