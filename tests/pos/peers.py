"""Ask PyMC in its own process for the posterior of the model of bayes-synthetic."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from anonymizers.engines.bayes_synthetic.model import FlexiblePrior, Floats
from datasets.tables import Integers


@dataclass(frozen=True, eq=False)
class Posterior:
    """Moments of (μ, β, ln γ, u, ln τ², ln σ²_u), ArviZ's effective draws for both, and the CPU seconds."""

    mean: Floats
    deviation: Floats
    kurtosis: Floats
    effective: Floats
    effective_squares: Floats
    spent: float

    @property
    def mean_error(self) -> Floats:
        return self.deviation / np.sqrt(self.effective)

    @property
    def deviation_error(self) -> Floats:
        """From the variance of squares, which the fourth moment gives; 3 for a normal sample."""
        return self.deviation * np.sqrt((self.kurtosis - 1) / 4 / self.effective_squares)


def nuts(
    y: Floats,
    x: Floats,
    store: Integers,
    prior: FlexiblePrior,
    *,
    draws: int,
    tune: int,
    chains: int = 2,
    seed: int = 1,
    timed: bool = False,
) -> Posterior:
    """The posterior by PyMC's NUTS; ``timed`` leaves out compilation, at the price of two more calls."""
    with tempfile.TemporaryDirectory() as folder:
        question, answer = Path(folder) / "question.npz", Path(folder) / "answer.npz"
        np.savez(
            question, y=y, x=x, store=store, kappa=prior.kappa, a0=prior.a0, b0=prior.b0,
            intercept_variance=prior.intercept_variance, draws=draws, tune=tune, chains=chains, seed=seed,
            timed=timed,
        )  # fmt: skip
        # Numba needs no C++ compiler, starts faster than C and samples faster.
        flags = f"mode=NUMBA,cxx=,compiledir={folder}/compiled"
        done = subprocess.run(
            [sys.executable, str(Path(__file__).with_name("nuts.py")), str(question), str(answer)],
            capture_output=True,
            text=True,
            check=False,
            timeout=550,
            # ArviZ and PyTensor write to the home, which may be read-only.
            env=os.environ
            | {"PYTENSOR_FLAGS": flags, "OMP_NUM_THREADS": "1", "HOME": folder, "XDG_CACHE_HOME": folder},
        )
        if done.returncode:
            raise RuntimeError(f"PyMC failed: {done.stderr[-2000:]}")
        with np.load(answer) as found:
            return Posterior(**{name: found[name] for name in found.files if name != "spent"},
                             spent=float(found["spent"]))  # fmt: skip
