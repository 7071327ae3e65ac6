"""Originals, entries and guesses in folders, as the commands that take M, T, P and Q read and write them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from games.shop.data.check import check_guess
from games.shop.data.folder import read_original, read_release, read_tables, write_release
from games.shop.data.tables import PurchaseData

__all__ = [
    "check_guess",
    "n_people",
    "people_in_words",
    "read_original",
    "read_release",
    "read_released",
    "report_lines",
    "write_release",
]


def n_people(data: PurchaseData) -> int:
    """How many people there are to be hidden or found."""
    return data.n_customers


def people_in_words(data: PurchaseData) -> str:
    return f"{data.n_customers} customers"


def read_released(folder: Path) -> PurchaseData:
    """Read M.csv and T.csv of an entry, never its P.csv."""
    return read_tables(folder, generalised=True)


def report_lines(report: Mapping[str, Any]) -> list[str]:
    """What the report of a house method says about its data, for people."""
    sets = report["expected_risk"]["distinct_item_sets"]
    lines = [f"  item sets: {sets} distinct, so re-itemset finds at most as many people"]
    if "clusters" in report:
        lines.append(f"  clusters: {report['clusters']}, {report['alone_in_cluster']} of one person")
    if report.get("expected_hits") is not None:
        lines.append(f"  expected risk: no attack can expect more than {report['expected_hits']} people")
    if report.get("customer_centre_bound") is not None:
        lines.append(f"  centres of customers would need at least {report['customer_centre_bound']}, proven")
    return lines
