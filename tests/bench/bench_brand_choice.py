"""The hierarchical Bayes logit against R's bayesm on the margarine data: draws a CPU second, as a ratio."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np

from scoring.panel.brand_choice import brand_choice
from tests.scoring.bayesm_peer import bayesm_draws, bayesm_is_here, margarine

DATA = Path(__file__).resolve().parents[3] / "shared/data"
DRAWS = 2000


def main() -> None:
    if not (DATA / "panel").is_dir() or not bayesm_is_here():
        print("The margarine data or R's bayesm is not on this machine; nothing is measured.")
        return
    for brands in (4, 10):
        data = margarine(DATA, brands)
        brand_choice(data, np.random.default_rng(1), 20, 0)
        start = time.process_time()
        brand_choice(data, np.random.default_rng(1), DRAWS, 0)
        ours = time.process_time() - start
        with tempfile.TemporaryDirectory() as folder:
            theirs = bayesm_draws(data, DRAWS, Path(folder)).seconds
        print(
            f"  {brands} brands, {data.n_panelists} households, {data.n_trips} trips: "
            f"{theirs / ours:.1f} x the draws of bayesm a CPU second",
            flush=True,
        )


if __name__ == "__main__":
    main()
