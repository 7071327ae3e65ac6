"""The house methods for any table, on tables of patients."""

from __future__ import annotations

from games.contract.declaration import Declaration
from games.tables.methods import with_table_methods

OWN = ("table-swap", "copula")
"""What this game has of its own: *swap* is the same, *copula* draws ranks instead of values."""


def completed(declaration: Declaration) -> Declaration:
    """Add them with the parameter that all methods of this game have."""
    (unchanged,) = (method for method in declaration.methods if method.name == declaration.unchanged)
    return with_table_methods(declaration, unchanged.parameters, without=OWN)
