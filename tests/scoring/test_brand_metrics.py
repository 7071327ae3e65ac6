"""Brand metrics of a panel: against loops over trips written from the definitions of section 5.3."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from scoring.panel.brand_metrics import brand_metrics, mapd

BRANDS = ["a", "b", "c"]


def panel(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    units = rng.integers(0, 3, size=(200, 3)) * (rng.random((200, 3)) < 0.6)
    return pd.DataFrame(units, columns=BRANDS).assign(who=rng.integers(0, 25, size=200))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_metrics_equal_loops_over_trips(seed: int) -> None:
    table = panel(seed)
    found = brand_metrics(table, "who", BRANDS)
    choices = {brand: int((table[brand] > 0).sum()) for brand in BRANDS}
    shares, follows = {brand: [] for brand in BRANDS}, {(i, j): 0 for i in BRANDS for j in BRANDS}
    for _, trips in table.groupby("who"):
        total = sum(int((trips[brand] > 0).sum()) for brand in BRANDS)
        for brand in BRANDS:
            if total:
                shares[brand].append((trips[brand] > 0).sum() / total)
        rows = trips.to_dict("records")
        for t in range(len(rows) - 1):
            for i, j in follows:
                follows[i, j] += rows[t][i] > 0 and rows[t + 1][j] > 0
    for place, brand in enumerate(BRANDS):
        assert found.market_share[place] == pytest.approx(100 * choices[brand] / sum(choices.values()))
        assert found.requirements[place] == pytest.approx(100 * np.mean(shares[brand]))
        out = sum(follows[brand, other] for other in BRANDS)
        assert found.switching[place] == pytest.approx(100 * (1 - follows[brand, brand] / out))
        assert found.sales[place] == table[brand].sum()


def test_an_unchanged_panel_has_no_deviation() -> None:
    metrics = brand_metrics(panel(4), "who", BRANDS)
    assert mapd(metrics.switching, metrics.switching) == 0.0
