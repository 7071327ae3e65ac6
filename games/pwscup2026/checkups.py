"""A cohort as methods for any table see it, and the way back to a release that the file rules accept.

Onset and death exclude each other, so a method sees one column of three outcomes. Those who stay healthy were
observed to the end, whatever time a method gives them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from games.contract.declaration import Column
from games.contract.tables import Columns
from games.tables.methods import hidden_table
from games.tables.shape import shape_of

from .layout import AGES, CENSORED, FIRST_DAY, HORIZON, LABS, RANGES, RELEASED

HEALTHY, ILL, DEAD = "healthy", "ill", "dead"
OUTCOME, PREFECTURE = "outcome", "prefecture"
COLUMNS = (
    Column("age", "int", AGES),
    Column("sex", "int", (0, 1)),
    Column("smoking", "int", (0, 1)),
    Column(PREFECTURE),
    *(Column(name, "real", RANGES[name]) for name in LABS),
    Column("time", "real", (FIRST_DAY, HORIZON)),
    Column(OUTCOME, "choice", domain=(HEALTHY, ILL, DEAD)),
)
SENSITIVE = (OUTCOME, "time")
RECODED = ("mondrian", "gh-tree")
"""Methods that make people alike in what others may know of them; what is sensitive stays."""


def hidden(
    name: str, cohort: Columns, params: Mapping[str, Any], rng: np.random.Generator
) -> dict[str, npt.NDArray[Any]]:
    """The columns of a release, its rows in the order of the cohort."""
    table = {column.name: outcomes(cohort) if column.name == OUTCOME else cohort[column.name]
             for column in COLUMNS}  # fmt: skip
    fixed = SENSITIVE if name in RECODED else ()
    made = hidden_table(name, table, shape_of(COLUMNS, table, (PREFECTURE,), fixed), params, rng)
    made["onset"], made["death"] = (np.asarray(made[OUTCOME] == one).astype(np.int64) for one in (ILL, DEAD))
    if name not in RECODED:
        made["time"] = np.where(made[OUTCOME] == HEALTHY, CENSORED, made["time"])
    return {column: made[column] for column in RELEASED}


def outcomes(cohort: Columns) -> npt.NDArray[Any]:
    """
    >>> outcomes({"onset": np.array([1, 0, 0]), "death": np.array([0, 1, 0])}).tolist()
    ['ill', 'dead', 'healthy']
    """
    labels = np.array([HEALTHY, ILL, DEAD], dtype=object)
    return labels[np.where(cohort["onset"] == 1, 1, np.where(cohort["death"] == 1, 2, 0))]
