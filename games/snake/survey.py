"""From a labour survey to the base table: one month per household, complete rows of adults."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from games.contract.tables import Columns

HOUSEHOLD, MONTH, AGE = "household", "month", "age"


def prepared(survey: Columns, names: Sequence[str], least_age: int) -> dict[str, npt.NDArray[Any]]:
    """The complete rows of people of that age or older, of each household in the month with most such rows.

    Of months with as many rows, the first in the order of their names counts.
    """
    complete = np.ones(len(survey[AGE]), dtype=bool)
    for name in names:
        cells = survey[name]
        complete &= cells != "" if cells.dtype == object else ~np.isnan(cells.astype(float))
    kept = np.flatnonzero(complete & (np.nan_to_num(survey[AGE].astype(float), nan=-1.0) >= least_age))
    pairs = list(zip(survey[HOUSEHOLD][kept].tolist(), survey[MONTH][kept].tolist(), strict=True))
    month_of = _fullest_months(pairs)
    chosen = kept[np.array([month_of[household] == month for household, month in pairs], dtype=bool)]
    table = {name: survey[name][chosen] for name in (HOUSEHOLD, *names)}
    table[AGE] = table[AGE].astype(np.int64)
    return table


def _fullest_months(pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    counts: dict[tuple[str, str], int] = {}
    for pair in pairs:
        counts[pair] = counts.get(pair, 0) + 1
    fullest: dict[str, str] = {}
    for household, month in sorted(counts):
        best = fullest.get(household)
        if best is None or counts[household, month] > counts[household, best]:
            fullest[household] = month
    return fullest


def invented(n_households: int, rng: np.random.Generator) -> dict[str, npt.NDArray[Any]]:
    """A base table of invented households with the columns of the survey."""
    sizes = 1 + rng.choice(9, n_households, p=_shares(18, 22, 12, 12, 12, 10, 7, 4, 3))
    home = np.repeat(np.arange(n_households), sizes)
    n = len(home)
    age = 16 + (rng.random(n) * rng.random(n) * 70).astype(np.int64)
    is_working = (age < 66) & (rng.random(n) < 0.7)
    hours = np.where(is_working, 10 * rng.choice(7, n, p=_shares(1, 2, 5, 8, 60, 16, 8)), 0)
    children = np.where((age > 20) & (age < 60), rng.choice(5, n, p=_shares(50, 22, 18, 7, 3)), 0)
    industry = rng.integers(1, 17, n)
    occupation = np.where(rng.random(n) < 0.6, 1 + industry % 10, rng.integers(1, 11, n))
    return {
        HOUSEHOLD: _coded("h", home, 6),
        AGE: age,
        "agechild": np.where(children > 0, _coded("c", rng.integers(1, 16, n), 2), "none"),
        "citistat": _coded("", 1 + rng.choice(5, n, p=_shares(80, 1, 2, 8, 9)), 1),
        "female": _coded("", rng.integers(0, 2, n), 1),
        "married": _coded("", ((age > 22) & (rng.random(n) < 0.6)).astype(np.int64), 1),
        "ownchild": _coded("", children, 1),
        "wbhaom": _coded("", (1 + rng.choice(6, n_households, p=_shares(62, 11, 17, 6, 1, 3)))[home], 1),
        "gradeatn": _coded("", np.minimum(1 + (age - 16) // 2, 6) + rng.integers(0, 11, n), 2),
        "cow1": np.where(is_working, _coded("", rng.integers(1, 9, n), 1), "none"),
        "ftptstat": np.where(is_working, _coded("", 1 + (hours < 35) + rng.integers(0, 2, n), 1), "none"),
        "statefips": _coded("", rng.integers(1, 57, n_households)[home], 2),
        "hoursut": _coded("", hours, 2),
        "faminc": _coded("", rng.integers(1, 17, n_households)[home], 2),
        "mind16": np.where(is_working, _coded("", industry, 2), "none"),
        "mocc10": np.where(is_working, _coded("", occupation, 2), "none"),
    }


def _shares(*percent: float) -> npt.NDArray[Any]:
    return np.array(percent) / sum(percent)


def _coded(prefix: str, numbers: npt.NDArray[Any], width: int) -> npt.NDArray[Any]:
    return np.array([f"{prefix}{number:0{width}d}" for number in numbers.tolist()], dtype=object)
