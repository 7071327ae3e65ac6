"""The house methods for any table, on cohorts of health checks."""

from __future__ import annotations

from games.contract.declaration import Declaration
from games.tables.methods import with_table_methods

OWN = ("table-swap", "copula")
"""What this game has of its own: *swap* keeps outcomes together, *copula* draws them by Cox models."""


def completed(declaration: Declaration) -> Declaration:
    return with_table_methods(declaration, without=OWN)
