"""The methods for any table that the house offers, and the one way to run them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from anonymizers.anonymizer import ParameterError
from anonymizers.parameters import checked
from anonymizers.release import CannotProtect
from anonymizers.table.bayes_synthetic import BAYES_SYNTHETIC
from anonymizers.table.c_gadp import C_GADP
from anonymizers.table.dsp import DSP
from anonymizers.table.gadp import GADP
from anonymizers.table.gh_tree import GH_TREE
from anonymizers.table.kmm import KMM
from anonymizers.table.market_level import MARKET_LEVEL
from anonymizers.table.mi import MI
from anonymizers.table.mondrian import MONDRIAN
from anonymizers.table.more_mi import MORE_MI
from anonymizers.table.more_p import MORE_P
from anonymizers.table.more_s import MORE_S
from anonymizers.table.panel_aggregate import PANEL_AGGREGATE
from anonymizers.table.panel_cluster import PANEL_CLUSTER
from anonymizers.table.panel_delete import PANEL_DELETE
from anonymizers.table.panel_dirichlet import PANEL_DIRICHLET
from anonymizers.table.panel_swap import PANEL_SWAP
from anonymizers.table.person_k import PERSON_K
from anonymizers.table.response_noise import RESPONSE_NOISE
from anonymizers.table.response_round import RESPONSE_ROUND
from anonymizers.table.response_swap import RESPONSE_SWAP
from anonymizers.table.response_topcode import RESPONSE_TOPCODE
from anonymizers.table_method import Columns, TableMethod, TableResult, columns_of
from datasets.lookup import find_by_name

TABLE_METHODS: tuple[TableMethod, ...] = (
    BAYES_SYNTHETIC,
    RESPONSE_NOISE,
    RESPONSE_ROUND,
    RESPONSE_TOPCODE,
    RESPONSE_SWAP,
    MARKET_LEVEL,
    KMM,
    PANEL_AGGREGATE,
    PANEL_CLUSTER,
    PANEL_DELETE,
    PANEL_SWAP,
    PANEL_DIRICHLET,
    GH_TREE,
    MONDRIAN,
    PERSON_K,
    MORE_P,
    MORE_S,
    MORE_MI,
    GADP,
    C_GADP,
    DSP,
    MI,
)


def table_method(name: str) -> TableMethod:
    """The table method of that name; a `KeyError` that lists the known ones otherwise."""
    return find_by_name(TABLE_METHODS, name, "method for a table")


def run_table_method(
    name: str, table: pd.DataFrame, columns: Columns, seed: int, parameters: Mapping[str, Any]
) -> TableResult:
    """Check roles and parameters, run the method, and name it in the report.

    The same arguments give the same table. Raises `ParameterError` for a role or parameter that is missing,
    unknown or out of range, and `CannotProtect` where the table cannot be protected as asked.
    """
    method = table_method(name)
    check_columns(method, table, columns)
    values = checked(name, method.parameters, parameters)
    if table.empty:
        raise CannotProtect(f"{name} needs a table with at least one row. Got an empty table instead.")
    done = method.function(table, columns, np.random.default_rng(seed), **values)
    report = {"method": name, "version": method.version, "seed": seed, "parameters": values}
    return TableResult(done.table, report | dict(done.report))


def check_columns(method: TableMethod, table: pd.DataFrame, columns: Columns) -> None:
    """Raise `ParameterError` for a role that is missing or unknown, or a column that the table lacks."""
    for role in method.roles:
        if not columns_of(columns, role):
            raise ParameterError(f"{method.name} needs a column for the role {role!r}. Got none.")
    for role in columns:
        if role not in method.roles and role not in method.optional:
            takes = ", ".join((*method.roles, *method.optional))
            raise ParameterError(f"{method.name} has no role {role!r} for a column. It has: {takes}.")
        for column in columns_of(columns, role):
            if column not in table.columns:
                has = ", ".join(map(str, table.columns))
                raise ParameterError(f"The table has no column {column!r}. Its columns are: {has}.")
