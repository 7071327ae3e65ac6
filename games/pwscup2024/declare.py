"""The house methods for any table, each of the ten files being one."""

from __future__ import annotations

from games.contract.declaration import Declaration
from games.tables.methods import with_table_methods


def completed(declaration: Declaration) -> Declaration:
    """Add them with the parameter that all methods of this game have; *table-swap* is its own *swap*."""
    (unchanged,) = (method for method in declaration.methods if method.name == declaration.unchanged)
    return with_table_methods(declaration, unchanged.parameters, without=("table-swap",))
