"""PyMC's NUTS on the model of bayes-synthetic: a program of its own, with a compiler setup of its own.

Nothing here imports the project: the model is written a second time, from the paper.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def main(question: str, answer: str) -> None:
    """Read data, prior and sizes from one npz file; write moments and CPU seconds to another."""
    with np.load(question) as asked:
        values = {name: asked[name] for name in asked.files}
    import arviz
    import pymc as pm

    sizes = {name: int(values[name]) for name in ("draws", "tune", "chains")}
    with model(values):
        options: dict[str, Any] = {"chains": sizes["chains"], "cores": 1, "random_seed": int(values["seed"])}
        options |= {"progressbar": False, "compute_convergence_checks": False, "target_accept": 0.9}
        timed = bool(values["timed"])
        overhead = _compiling(lambda: pm.sample(draws=1, tune=1, **options)) if timed else 0.0
        before = time.process_time()
        found = pm.sample(draws=sizes["draws"], tune=sizes["tune"], **options).posterior
        spent = time.process_time() - before - overhead
    intercept = found["intercept"].values[..., None]
    parts = [intercept, found["slopes"].values, found["levels"].values - intercept]
    parts += [np.log(found[name].values)[..., None] for name in ("tau2", "sigma2")]
    drawn = np.concatenate(parts, axis=2)
    columns = [drawn[..., place] for place in range(drawn.shape[2])]
    np.savez(
        answer,
        spent=spent,
        mean=drawn.mean(axis=(0, 1)),
        deviation=drawn.std(axis=(0, 1)),
        kurtosis=((drawn - drawn.mean(axis=(0, 1))) ** 4).mean(axis=(0, 1)) / drawn.var(axis=(0, 1)) ** 2,
        effective=[arviz.ess(column, method="mean") for column in columns],
        effective_squares=[arviz.ess(column, method="sd") for column in columns],
    )


def model(values: dict[str, Floats]) -> Any:
    """Model (3): y = μ + u_store + x b + ε with the flexible prior.

    Levels μ + u instead of u: on this parametrisation NUTS mixes much better, so that the comparison is fair.
    """
    import pymc as pm

    x, store = values["x"], values["store"].astype(int)
    with pm.Model() as made:
        intercept = pm.Normal("intercept", 0, np.sqrt(values["intercept_variance"]))
        slopes = pm.Normal("slopes", 0, 1 / np.sqrt(values["kappa"]), shape=x.shape[1])
        tau2 = pm.InverseGamma("tau2", values["a0"], values["b0"])
        sigma2 = pm.InverseGamma("sigma2", 50 * values["kappa"], 1 / (20 * values["kappa"]))
        levels = pm.Normal("levels", intercept, pm.math.sqrt(sigma2), shape=int(store.max()) + 1)
        centre = levels[store] + pm.math.dot(x, slopes)
        pm.Normal("y", centre, pm.math.sqrt(tau2), observed=values["y"])
    return made


def _compiling(call: Any) -> float:
    """CPU seconds that a call with almost no draws needs once everything is in the compiler's cache."""
    call()
    before = time.process_time()
    call()
    return time.process_time() - before


if __name__ == "__main__":
    main(*sys.argv[1:])
