"""What a method for any table is: a plain function, its declared parameters, and what describes it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from anonymizers.anonymizer import Parameter, ParameterError
from anonymizers.release import CannotProtect

Columns = Mapping[str, str | Sequence[str]]
"""Role → column or columns, for example ``{"id": "household", "qid": ["week", "units"]}``."""


@dataclass(frozen=True, eq=False)
class TableResult:
    """The protected table and a report for people and programs."""

    table: pd.DataFrame
    report: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class TableMethod:
    """Describes a method that protects any table.

    ``function(table, columns, rng, **parameters)`` returns a `TableResult`. ``roles`` names the roles that
    ``columns`` must give; ``optional`` those that it may give.
    """

    name: str
    title: str
    meaning: str
    function: Callable[..., TableResult]
    reference: str
    version: int
    parameters: tuple[Parameter, ...] = ()
    roles: tuple[str, ...] = ("id", "qid")
    optional: tuple[str, ...] = ()
    picture: str = ""
    """A template fragment that explains the method by pictures, where there is one."""

    @property
    def documentation(self) -> str:
        return inspect.getdoc(self.function) or ""


def columns_of(columns: Columns, role: str) -> list[str]:
    """The columns that play a role; none if nobody named any.

    >>> columns_of({"id": "household", "qid": ["week", "units"]}, "qid")
    ['week', 'units']
    >>> columns_of({"id": "household"}, "id"), columns_of({"id": "household"}, "sensitive")
    (['household'], [])
    """
    named = columns.get(role, ())
    return [named] if isinstance(named, str) else list(named)


def only_column(columns: Columns, role: str) -> str:
    """The one column of a role that takes exactly one."""
    named = columns_of(columns, role)
    if len(named) != 1:
        raise ParameterError(f"The role {role!r} takes exactly one column. Got {len(named)} instead.")
    return named[0]


def refuse_missing(method: str, table: pd.DataFrame, columns: Sequence[str]) -> None:
    """Refuse cells without a value, and infinite numbers."""
    for name in columns:
        missing = table[name].isna().to_numpy()
        if missing.any():
            raise CannotProtect(
                f"{method} needs a value in every cell. Column {name!r} lacks {int(missing.sum())}, "
                f"first in row {int(missing.argmax()) + 1}. Fill or drop those rows first."
            )
        if pd.api.types.is_float_dtype(table[name]) and not np.isfinite(table[name]).all():
            raise CannotProtect(f"{method} needs finite numbers. Column {name!r} has an infinite one.")
