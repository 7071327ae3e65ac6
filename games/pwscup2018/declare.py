"""The measures, methods, attacks and rules of 2018, from the registries."""

from __future__ import annotations

from games.contract.declaration import Declaration
from games.shop import declaring
from games.shop.presets import PWSCUP2018


def completed(declaration: Declaration) -> Declaration:
    return declaring.completed(declaration, "2018", PWSCUP2018)
