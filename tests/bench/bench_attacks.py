"""The strongest attacks on disturbed and forged entries: whom they find, and what they cost.

The tables of PWSCUP 2016 (400 customers) where they are on this machine, else as many generated ones; then
the CPU time of re-refit in units of re-ensemble's on all customers of Online Retail.
"""

from __future__ import annotations

import time
from pathlib import Path

from attacks.evaluate import judge
from games.shop.attacks.registry import ATTACKS, run_attack
from games.shop.data.folder import read_original
from games.shop.data.generate import generate
from games.shop.data.online_retail import build_online_retail
from games.shop.data.tables import PurchaseData, Release
from tests.games.shop.attacks.disturbed import ENTRIES, TWICE_FORGED, entry

DATA = Path(__file__).resolve().parents[3] / "shared/data"
SHOWN = (
    "dealt, 60 % of rows, ±10 days",
    "dealt, 80 % of rows, ±15 days",
    "dealt, 92 % of rows, ±30 days",
    "dealt, 80 % of rows, receipts broken up",
    "dealt, 90 % of the rows dropped",
    "constant M′, 80 % of rows, ±15 days",
    "kept M′, receipts dealt",
    "days of the partner, dealt",
    "days 100 later, dealt, items changed",
)
LARGE = "dealt, 80 % of rows, ±15 days"


def main() -> None:
    few = generate(30, seed=1)
    for name in ("re-ensemble", "re-refit"):
        run_attack(name, few, few, 0)
    folder = DATA / "pwscup2016"
    people = read_original(folder) if folder.is_dir() else generate(400, seed=1)
    print("| entry | best other | re-ensemble | re-refit |\n|---|---|---|---|")
    for name in SHOWN:
        compare(name, people, entry(people, 1, *ENTRIES[name]))
    compare("attributes and days of the partner", people, entry(people, 1, *TWICE_FORGED))
    retail = DATA / "online_retail/online_retail.csv.gz"
    if retail.is_file():
        measure(build_online_retail(retail, None))


def compare(title: str, original: PurchaseData, release: Release) -> None:
    """One line of the table: hits of the best single attack, of the ensemble, and of re-refit."""
    hits = {
        house.name: judge(
            run_attack(house.name, original, release.data, 0), release.truth, original.n_customers
        ).hits
        for house in ATTACKS
    }
    ensemble, ours = hits.pop("re-ensemble"), hits.pop("re-refit")
    best = max(hits, key=lambda name: hits[name])
    print(f"| {title} | {hits[best]} ({best}) | {ensemble} | {ours} |", flush=True)


def measure(original: PurchaseData) -> None:
    release = entry(original, 1, *ENTRIES[LARGE])
    seconds = {}
    for name in ("re-ensemble", "re-refit"):
        before = time.process_time()
        guess = run_attack(name, original, release.data, 0)
        seconds[name] = time.process_time() - before
        found = judge(guess, release.truth, original.n_customers).hits
        size = f"{original.n_customers:,} customers, {LARGE}"
        print(f"{name} on {size}: {found:,} found, {seconds[name]:.1f} s CPU", flush=True)
    print(f"re-refit takes {seconds['re-refit'] / seconds['re-ensemble']:.1f} x the CPU time of re-ensemble")


if __name__ == "__main__":
    main()
