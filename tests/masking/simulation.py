"""The simulations of Qian and Xie 5.1 and 5.4, replayed with our methods."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import numpy as np
import pandas as pd

from anonymizers.table_registry import run_table_method
from scoring.masking.margins import margins
from scoring.masking.relations import explained_share, poisson_regression, quadratic_regression
from tests.chance import correlated
from tests.masking.tables import COLUMNS, consumers

Key = tuple[str, str, str]
ORDER = {"order": "2"}


def simulate(n: int, replications: int, seed: int) -> dict[Key, np.ndarray]:
    """(method, criterion, column) → its value in every replication, for the rows of Tables 1 and 2."""
    rng = np.random.default_rng([seed, n])
    found: dict[Key, list[float]] = defaultdict(list)
    for turn in range(replications):
        table = consumers(n, rng)
        before = relations(table)
        for method, settings in (("c-gadp", {}), ("more-p", ORDER)):
            done = run_table_method(method, table, COLUMNS, turn, settings)
            for column in COLUMNS["confidential"]:
                kept = margins(table[column], done.table[column])
                found[method, "KS", column].append(kept.ks)
                found[method, "mean", column].append(kept.moments["mean"])
                found[method, "variance", column].append(kept.moments["variance"])
                found[method, "EMPD", column].append(_empd(done.report, table, done.table, column))
        for method, masked in (("more-p", done.table), ("more-s", shuffled(table, done.table, rng))):
            for name, value in relations(masked).items():
                found[method, name, ""].append(value - before[name])
    return {key: np.array(values) for key, values in found.items()}


def shuffled(table: pd.DataFrame, drawn: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """MORE-S by its definition, 4.3.2, from a table that MORE-P drew: saves fitting the same models twice."""
    result = drawn.copy()
    for column in COLUMNS["confidential"]:
        places = np.lexsort((rng.random(len(drawn)), drawn[column]))
        values = np.empty(len(table), dtype=table[column].dtype)
        values[places] = np.sort(table[column])
        result[column] = values
    return result


def _empd(report: Mapping, table: pd.DataFrame, masked: pd.DataFrame, column: str) -> float:
    """The closed form where the method has one, else the distance of this draw, which has the same mean."""
    if "columns" in report:
        return float(report["columns"][column]["empd"])
    return float((table[column] - masked[column]).abs().mean())


def relations(table: pd.DataFrame) -> dict[str, float]:
    """The coefficients of Table 2."""
    square = quadratic_regression(table["X2"], table["S1"]).estimates
    return {
        "ρ31": float(np.corrcoef(table["X1"], table["S1"])[0, 1]),
        "ρ32": float(np.corrcoef(table["X1"], table["S2"])[0, 1]),
        "β41": square["S1"],
        "β42": square["S1²"],
        "β51": poisson_regression(table["X3"], table[["S1"]]).estimates["S1"],
    }


def explained(method: str, n: int, correlation: float, replications: int, seed: int) -> np.ndarray:
    """Table 3: R² of X1 on Y1, both columns of a bivariate normal masked, nothing given."""
    rng = np.random.default_rng([seed, n])
    covariance = [[1.0, correlation], [correlation, 1.0]]
    shares = []
    for turn in range(replications):
        table = pd.DataFrame(correlated(rng, covariance, n), columns=["X1", "X2"])
        masked = run_table_method(method, table, {"confidential": ["X1", "X2"]}, turn, {}).table
        shares.append(explained_share(table["X1"], masked["X1"]))
    return np.array(shares)
