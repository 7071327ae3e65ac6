"""The order that Tables 7 to 18 of Kartal, Li (2020) found, on two real tables and a skewed one."""

from __future__ import annotations

from pathlib import Path

import pytest

from kakurenbo.risk_loss import TARGETS, least_loss, measured, sweep, whole_table
from tests.bench.person_tables import PersonTable, margarine, retail, skewed


@pytest.fixture(scope="module", params=["margarine", "retail", "skewed"])
def table(request: pytest.FixtureRequest, shared_data: Path) -> PersonTable:
    if request.param == "skewed":
        return skewed(20_000)
    return (margarine if request.param == "margarine" else retail)(shared_data)


def test_at_equal_exposure_the_tree_loses_least(table: PersonTable) -> None:
    """Tables 10 to 12: ANE with g-balance is below those of K and k at every level of MaxGIDR."""
    points = list(sweep(table.units(), steps=24))
    for target in TARGETS:
        tree, person, record = (
            least_loss(points, name, target) for name in ("gh-tree", "person-k", "mondrian")
        )
        assert tree and person and record
        assert tree.ane < person.ane and tree.ane < record.ane


def test_at_equal_thresholds_the_tree_exposes_least(table: PersonTable) -> None:
    """Tables 7 to 9: g below K below k, in the maximum and in the average."""
    units = table.units()
    for size in (2, 5, 20):
        tree = measured(units, "gh-tree", 1 - 1 / size)
        person, record = (measured(units, name, size) for name in ("person-k", "mondrian"))
        assert tree.max_gidr < person.max_gidr <= record.max_gidr
        assert tree.avg_gidr < person.avg_gidr < record.avg_gidr


def test_secrets_stay_within_h_where_l_diversity_fails(table: PersonTable) -> None:
    """Tables 13 to 15: MaxGSAR never above h*; with l = 1/h* it is, and its average is higher."""
    units = table.units()
    for diversity in (2, 5, 10):
        if 1 / diversity >= whole_table(units)[1]:
            by_h = measured(units, "gh-tree", 0.5, h=1 / diversity)
            by_l = measured(units, "gh-tree", 0.5, l=diversity)
            assert by_h.max_gsar <= 1 / diversity + 1e-12 < by_l.max_gsar
            assert by_h.avg_gsar < by_l.avg_gsar
