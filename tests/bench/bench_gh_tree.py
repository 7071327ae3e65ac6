"""The shape of Tables 7 to 18 of Kartal, Li (2020) on three tables of people with several records each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from anonymizers.engines.gh_tree.coding import Units
from kakurenbo.risk_loss import TARGETS, Point, least_loss, measured, sweep, whole_table
from tests.bench.person_tables import PersonTable, margarine, retail, skewed

SIZES = (2, 3, 5, 7, 10, 20, 50)
BALANCES = (0.50, 0.67, 0.80)
DIVERSITIES = (2, 3, 5, 10, 20)
SECRET_TARGETS = (0.20, 0.15, 0.10)
COMMON_TARGETS = (0.60, 0.55, 0.50)
"""Where a secret is so common in the whole table that the paper's targets cannot be reached."""


def equal_thresholds(units: Units) -> Iterator[str]:
    """Tables 7 to 9: k records, K people and g = 1 − 1/k side by side."""
    yield "| k = K | g* | k: MaxGIDR | AvgGIDR | K: MaxGIDR | AvgGIDR | g: MaxGIDR | AvgGIDR |"
    yield "|--:|--:|--:|--:|--:|--:|--:|--:|"
    for size in SIZES:
        runs = [
            measured(units, "mondrian", size),
            measured(units, "person-k", size),
            measured(units, "gh-tree", 1 - 1 / size),
        ]
        cells = " | ".join(f"{100 * run.max_gidr:.2f} | {100 * run.avg_gidr:.2f}" for run in runs)
        yield f"| {size} | {1 - 1 / size:.2f} | {cells} |"


def equal_exposure(units: Units) -> Iterator[str]:
    """Tables 10 to 12: least ANE of each method with MaxGIDR within the target."""
    points = list(sweep(units, steps=60))
    yield "| MaxGIDR ≤ | k: MaxGIDR | ANE | K: MaxGIDR | ANE | g: MaxGIDR | ANE |"
    yield "|--:|--:|--:|--:|--:|--:|--:|"
    for target in TARGETS:
        runs = [least_loss(points, name, target) for name in ("mondrian", "person-k", "gh-tree")]
        yield f"| {100 * target:.0f} | {' | '.join(_cell(run, 'max_gidr') for run in runs)} |"


def secrets(units: Units) -> Iterator[str]:
    """Tables 13 to 15: l-diversity and h = 1/l on groups that keep g*."""
    yield "| g* | l | MaxGSAR | AvgGSAR | h* | MaxGSAR | AvgGSAR |"
    yield "|--:|--:|--:|--:|--:|--:|--:|"
    for g in BALANCES:
        for diversity in DIVERSITIES:
            by_l = measured(units, "gh-tree", g, l=diversity)
            line = f"| {g:.2f} | {diversity} | {100 * by_l.max_gsar:.2f} | {100 * by_l.avg_gsar:.2f} |"
            if 1 / diversity < whole_table(units)[1]:
                yield f"{line} {1 / diversity:.2f} | cannot | |"
                continue
            by_h = measured(units, "gh-tree", g, h=1 / diversity)
            yield f"{line} {1 / diversity:.2f} | {100 * by_h.max_gsar:.2f} | {100 * by_h.avg_gsar:.2f} |"


def equal_secrets(units: Units) -> Iterator[str]:
    """Tables 16 to 18: least ANE with MaxGSAR within the target, by l-diversity and by h-affiliation."""
    yield "| g* | MaxGSAR ≤ | l: MaxGSAR | ANE | h: MaxGSAR | ANE |"
    yield "|--:|--:|--:|--:|--:|--:|"
    strictest = whole_table(units)[1]
    for g in BALANCES:
        by_l = [measured(units, "gh-tree", g, l=float(size)) for size in np.geomspace(1.2, 400, 30)]
        limits = [limit for limit in np.geomspace(1, 0.04, 40) if limit >= strictest]
        by_h = [measured(units, "gh-tree", g, h=float(limit)) for limit in limits]
        for target in SECRET_TARGETS if strictest <= min(SECRET_TARGETS) else COMMON_TARGETS:
            best = [least_loss(runs, "gh-tree", target, "max_gsar") for runs in (by_l, by_h)]
            cells = [_cell(run, "max_gsar") for run in best]
            yield f"| {g:.2f} | {100 * target:.0f} | {' | '.join(cells)} |"


def _cell(run: Point | None, risk: str) -> str:
    return "cannot | " if run is None else f"{100 * getattr(run, risk):.2f} | {100 * run.ane:.3f}"


def told(table: PersonTable) -> Iterator[str]:
    units = table.units()
    counts = np.bincount(units.unit)
    yield f"## {table.title}"
    yield ""
    g, h = whole_table(units)
    yield f"{len(table.rows):,} records of {units.n_people:,} people (median {np.median(counts):.0f}, most"
    yield f"{counts.max()}); quasi-identifiers {', '.join(table.qid)}; sensitive: {table.sensitive}."
    yield f"The whole table has g = {g:.4f} and h = {h:.4f}. All figures in percent."
    for title, lines in (
        ("Risk at equal thresholds (Tables 7 to 9)", equal_thresholds(units)),
        ("Loss at equal MaxGIDR (Tables 10 to 12)", equal_exposure(units)),
        ("Secrets by l-diversity and by h-affiliation (Tables 13 to 15)", secrets(units)),
        ("Loss at equal MaxGSAR (Tables 16 to 18)", equal_secrets(units)),
    ):
        yield from ("", f"### {title}", "", *lines)
    yield ""


def main() -> None:
    for table in (margarine(), retail(), skewed()):
        print("\n".join(told(table)))


if __name__ == "__main__":
    main()
