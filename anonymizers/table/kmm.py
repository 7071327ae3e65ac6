"""`kmm`: every quasi-identifier shared by k different people, with the least movement."""

from __future__ import annotations

import resource
import time
from typing import Any

import numpy as np
import pandas as pd

from anonymizers.anonymizer import Parameter, ParameterError
from anonymizers.engines.kmm.exact import exact as solve_exactly
from anonymizers.engines.kmm.fast import fast
from anonymizers.engines.kmm.panel import PanelProblem, checked_weights, panel_problem
from anonymizers.engines.kmm.problem import Problem, Solution
from anonymizers.engines.kmm.split import split
from anonymizers.table_method import Columns, TableMethod, TableResult, columns_of, only_column


def kmm(
    table: pd.DataFrame, columns: Columns, rng: np.random.Generator, *, k: int = 5, l: int = 1,  # noqa: E741
    solver: str = "fast", parts: int = 6, effort: float = 1.0, seconds: float = 600.0, gap: float = 0.0,
    weights: str = "",
) -> TableResult:  # fmt: skip
    """Alter as little as possible so that every quasi-identifier is held by at least k different people.

    The quasi-identifiers of a panel, one per record, are the rows of a contingency table of people. Each
    entry stays or moves to another existing row; a row ends empty or with at least k different people (3),
    and nobody is twice on it (4). The summed distance of the moves is minimal (2),

        Σ_moves sqrt( Σ_j w_j (y_j − y′_j)² ),

    where unequal categories differ by 1. With ``l`` > 1, every row also ends with at least l different
    values of the sensitive column (6). Equal records of one person move together (A5).

    ``fast`` searches and proves how far it may be from the optimum: a Lagrangian bound, annealings, their
    best combination, and small integer programs over regions of near rows.
    ``exact`` proves the optimum, or that no solution is better by more than a share ``gap`` of its bound, by
    integer programs tightened with cuts. ``split`` deals the rows at random into parts, as the paper does; it
    is here for comparison.

    Reference: Li, Schneider, Yu, Gupta, "Reidentification Risk in Panel Data: Protecting for k-Anonymity"
    (2022), section 4 and Appendix A.

    >>> panel = pd.DataFrame({"who": list("AABBCCD"), "units": [1, 5, 1, 2, 2, 5, 9]})
    >>> done = kmm(panel, {"id": "who", "qid": ["units"]}, np.random.default_rng(0), k=2)
    >>> done.table["units"].tolist(), done.report["objective"]
    ([1, 5, 1, 2, 2, 5, 5], 4.0)
    """
    begin = time.process_time()
    id, qid = only_column(columns, "id"), columns_of(columns, "qid")
    sensitive = only_column(columns, "sensitive") if l > 1 or columns_of(columns, "sensitive") else None
    by_name = checked_weights(qid, parsed_weights(weights))
    panel = panel_problem(table, id, qid, k, l, sensitive, by_name)
    done = solved(panel.problem, rng, solver, parts, effort, seconds, gap)
    released = written_back(table, panel, done, qid)
    report = distortion(table, released, qid, by_name) | {
        "people": panel.problem.n_people,
        "quasi_identifiers": panel.problem.n_rows,
        "objective": done.objective,
        "lower_bound": done.bound,
        "gap": done.gap if np.isfinite(done.gap) else None,
        "finished": done.finished,
        "cpu_seconds": time.process_time() - begin,
        "peak_memory_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    return TableResult(released, report)


def solved(
    problem: Problem, rng: np.random.Generator, solver: str, parts: int, effort: float, seconds: float,
    gap: float,
) -> Solution:  # fmt: skip
    if solver == "exact":
        return solve_exactly(problem, rng, seconds, gap)
    if solver == "split":
        return split(problem, rng, parts)
    return fast(problem, rng, effort)


def written_back(table: pd.DataFrame, panel: PanelProblem, done: Solution, qid: list[str]) -> pd.DataFrame:
    """The table with every record's quasi-identifier replaced by that of the row it went to."""
    released = table.copy()
    row = done.target[panel.incidence]
    moved = row != panel.problem.row[panel.incidence]
    for name in qid:
        cells = table[name].to_numpy().copy()
        cells[moved] = panel.values[name].to_numpy()[row[moved]]
        released[name] = pd.Series(cells, index=table.index).astype(table[name].dtype)
    return released


def distortion(
    table: pd.DataFrame, released: pd.DataFrame, qid: list[str], weights: dict[str, float]
) -> dict[str, Any]:
    """Changed cells and mean squared deviation (section 5.2), by cell and by record."""
    changed, squares = np.zeros(len(table), dtype=np.int64), 0.0
    for name in qid:
        before, after = table[name].to_numpy(), released[name].to_numpy()
        unequal = before != after
        changed += unequal
        number = pd.api.types.is_numeric_dtype(table[name]) and not pd.api.types.is_bool_dtype(table[name])
        apart = (before.astype(float) - after.astype(float)) ** 2 if number else unequal.astype(float)
        squares += weights[name] * float(apart.sum())
    return {
        "records": len(table),
        "records_moved": int((changed > 0).sum()),
        "changed_cells_percent": 100 * float(changed.sum()) / (len(table) * len(qid)),
        "msd_per_cell": squares / (len(table) * len(qid)),
        "msd_per_record": squares / len(table),
    }


def parsed_weights(text: str) -> dict[str, float]:
    """``week=2,lays=1`` as a mapping.

    >>> parsed_weights("week=2, lays=0.5")
    {'week': 2.0, 'lays': 0.5}
    """
    weights = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        name, equals, number = part.partition("=")
        try:
            weights[name.strip()] = float(number)
        except ValueError:
            equals = ""
        if not equals:
            raise ParameterError(f"The weights of kmm must read COLUMN=NUMBER,… Got {part!r} instead.")
    return weights


KMM = TableMethod(
    name="kmm",
    title="Minimum-movement k-anonymization",
    meaning="Moves records to near quasi-identifiers, as little as possible, until k people share each.",
    function=kmm,
    reference="Li, Schneider, Yu, Gupta, Reidentification Risk in Panel Data (2022), section 4",
    version=3,
    parameters=(
        Parameter("k", "int", 5, "Number of different people who share every quasi-identifier.", low=2),
        Parameter("l", "int", 1, "Number of different sensitive values that each has (1: off).", low=1),
        Parameter("solver", "choice", "fast", "How to solve it.", choices=("fast", "exact", "split")),
        Parameter("parts", "int", 6, "Into how many parts `split` deals the rows.", low=1),
        Parameter("effort", "float", 1.0, "How long `fast` searches, 1 being usual.", low=0, high=1000),
        Parameter(
            "seconds", "float", 600.0, "`exact` stops after this many seconds with its best result.", low=0
        ),
        Parameter("gap", "float", 0.0, "`exact` stops this close to its bound.", low=0, high=1),
        Parameter("weights", "text", "", "Weights of columns in the distance: COLUMN=NUMBER,… (others: 1)."),
    ),
    roles=("id", "qid"),
    optional=("sensitive",),
    picture="contest/methods/_kmm.html",
)  # fmt: skip
