"""From a table to the k-MM problem and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from anonymizers.anonymizer import ParameterError
from anonymizers.engines.kmm.problem import Floats, Problem
from anonymizers.release import CannotProtect
from anonymizers.table_method import refuse_missing
from datasets.tables import Integers


@dataclass(frozen=True, eq=False)
class PanelProblem:
    """A problem and where its parts come from: record i of the table is incidence ``incidence[i]``."""

    problem: Problem
    incidence: Integers
    values: pd.DataFrame
    """The quasi-identifier of every row of the problem."""


def panel_problem(
    table: pd.DataFrame, id: str, qid: Sequence[str], k: int, l: int = 1,  # noqa: E741
    sensitive: str | None = None,
    weights: Mapping[str, float] | None = None,
) -> PanelProblem:  # fmt: skip
    """Code a table. Equal records of one person are one incidence and move together (A5)."""
    refuse_missing("kmm", table, [id, *qid, *([sensitive] if sensitive else [])])
    person, people = pd.factorize(table[id], sort=True)
    row = np.asarray(table.groupby(list(qid), sort=True, observed=True).ngroup(), dtype=np.int64)
    first = np.unique(row, return_index=True)[1]
    values = table[list(qid)].iloc[first].reset_index(drop=True)
    keys, incidence = np.unique(row * len(people) + person, return_inverse=True)
    value = _person_values(table, person, len(people), sensitive)
    problem = Problem(
        coordinates(values, checked_weights(qid, weights)),
        keys // len(people),
        keys % len(people),
        k,
        l,
        value,
    )
    return PanelProblem(problem, incidence.astype(np.int64), values)


def coordinates(values: pd.DataFrame, weights: Mapping[str, float]) -> Floats:
    """Points whose Euclidean distance is sqrt(Σ w_j (y_j − y′_j)²); unequal categories differ by 1.

    >>> points = coordinates(pd.DataFrame({"n": [0, 3], "c": ["a", "b"]}), {"n": 1.0, "c": 16.0})
    >>> round(float(np.sqrt(((points[0] - points[1]) ** 2).sum())), 12)  # sqrt(9 + 16)
    5.0
    """
    columns: list[npt.NDArray[np.float64]] = []
    for name in values:
        scale = np.sqrt(weights[str(name)])
        if pd.api.types.is_numeric_dtype(values[name]) and not pd.api.types.is_bool_dtype(values[name]):
            columns.append(scale * values[[name]].to_numpy(dtype=np.float64))
            continue
        codes, labels = pd.factorize(values[name], sort=True)
        if len(labels) > 200:
            raise CannotProtect(
                f"kmm takes at most 200 different categories a column. Got {len(labels)} in {name!r}: "
                f"give the column numbers or group its values."
            )
        columns.append(scale * np.sqrt(0.5) * np.eye(len(labels))[codes])
    return np.ascontiguousarray(np.hstack(columns))


def checked_weights(qid: Sequence[str], weights: Mapping[str, float] | None) -> dict[str, float]:
    """A weight for every quasi-identifier: 1 where none is given."""
    given = dict(weights or {})
    for name, weight in given.items():
        if name not in qid:
            raise ParameterError(f"The weights of kmm name {name!r}, which is no quasi-identifier.")
        if not (np.isfinite(weight) and weight > 0):
            raise ParameterError(f"The weight of {name!r} must be a number > 0. Got {weight} instead.")
    return {name: float(given.get(name, 1.0)) for name in qid}


def _person_values(table: pd.DataFrame, person: Integers, people: int, sensitive: str | None) -> Integers:
    if sensitive is None:
        return np.zeros(people, dtype=np.int64)
    codes = np.asarray(pd.factorize(table[sensitive], sort=True)[0], dtype=np.int64)
    value = np.empty(people, dtype=np.int64)
    value[person] = codes
    if (value[person] != codes).any():
        raise CannotProtect(
            f"The sensitive column {sensitive!r} must have one value per person. Got several for some."
        )
    return value
