"""The organisers' file F of 2017, read without our readers: what our truths are compared with."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from games.shop.data.pwscup2017 import TruthTable


def organisers_truth(path: Path) -> TruthTable:
    """One line per customer: the customer, then the pseudonyms of twelve months."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = np.array(list(csv.reader(file)), dtype=object)
    return TruthTable(rows[:, 0], rows[:, 1:])
