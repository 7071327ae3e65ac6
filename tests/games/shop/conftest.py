from __future__ import annotations

from pathlib import Path

import pytest

from games.shop.data.folder import read_original
from games.shop.data.tables import PurchaseData


@pytest.fixture(scope="session")
def real(shared_data: Path) -> PurchaseData:
    """M and T of PWSCUP 2016."""
    return read_original(shared_data / "pwscup2016")
