"""The measures, methods, attacks and rules of 2017, from the registries."""

from __future__ import annotations

from games.contract.declaration import Declaration
from games.shop import declaring
from games.shop.presets import PWSCUP2017


def completed(declaration: Declaration) -> Declaration:
    return declaring.completed(declaration, "2017", PWSCUP2017)
