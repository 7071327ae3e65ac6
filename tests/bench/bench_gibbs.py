"""bayes-synthetic and its risk against peers: PyMC, R's bayesm, scikit-learn; and known parameters, 100 runs.

R may be absent and is then skipped with a sentence. CPU time of one run; ratios are what counts.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from anonymizers.engines.bayes_synthetic.convergence import effective_draws
from anonymizers.engines.bayes_synthetic.gibbs import sample
from anonymizers.engines.bayes_synthetic.model import FlexiblePrior, Sums
from datasets.store_panel import StorePanel
from scoring.store_panel.identification import SubjectPeriods, identification, subject_periods
from tests.pos.panels import COLUMNS, ELASTICITY, MULTIPLIERS, simulated
from tests.pos.peers import nuts

CHEESE = Path(__file__).resolve().parents[3] / "shared/data/pos/cheese.csv"
RUNS = 100
REFITTED = 2
"""Weeks that scikit-learn refits; the cost is the same for every week, so the time is scaled."""
KAPPA = 1.0
NUTS_DRAWS = 300
"""Draws of each of two chains, and as many to tune."""

R_PROGRAM = """
suppressMessages(library(bayesm))
d <- read.csv(commandArgs(TRUE)[1]); d$RETAILER <- factor(d$RETAILER)
regdata <- lapply(levels(d$RETAILER), function(r) {
  s <- d[d$RETAILER == r, ]; list(y = log(s$VOLUME), X = cbind(1, s$DISP, log(s$PRICE))) })
sink("/dev/null"); start <- proc.time()
out <- rhierLinearModel(Data = list(regdata = regdata), Mcmc = list(R = 10000, nprint = 0))
used <- proc.time() - start; sink(); cat(used[["user.self"]] + used[["sys.self"]])
"""


def main() -> None:
    with threadpool_limits(1):
        coverage()
        if CHEESE.is_file():
            against_bayesm()
        else:
            print("The cheese data is not on this machine; R's bayesm is not measured.")
        against_pymc()
        against_refitting()


def coverage() -> None:
    """Known parameters in the paper's size: how often 95 % intervals hold them at κ → 0."""
    inside = np.zeros(20)
    spent = time.process_time()
    for run in range(RUNS):
        panel = StorePanel.of(simulated(1000 + run), COLUMNS)
        inside += np.concatenate([_held(panel, brand, run) for brand in range(5)])
    spent = time.process_time() - spent
    print(
        f"known parameters, {RUNS} runs of 34 stores x 102 weeks x 5 brands: {inside.sum() / RUNS / 20:.1%} "
        f"of the 95 % intervals hold the truth, worst coefficient {inside.min() / RUNS:.0%}; {spent:.1f} s"
    )


def _held(panel: StorePanel, brand: int, seed: int) -> np.ndarray:
    rows = np.flatnonzero(panel.brand.codes == brand)
    group = np.zeros(panel.subject.n_labels, dtype=np.int64)
    sums = Sums.of(panel.log_response[rows], panel.predictors[rows], panel.subject.codes[rows], group)
    prior = FlexiblePrior(1e-3, np.array([1e-3]))
    draws = sample(sums, prior, np.random.default_rng([seed, brand]), chains=2, burn_in=200, draws=1000)
    low, high = np.quantile(draws.fixed[..., 1:].reshape(-1, 4), [0.025, 0.975], axis=0)
    true = np.array([ELASTICITY[brand], *np.log(MULTIPLIERS[brand])])
    return (low <= true) & (true <= high)


def cheese() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    table = pd.read_csv(CHEESE)
    columns = {"id": "RETAILER", "response": "VOLUME", "price": "PRICE", "promotions": ["DISP"]}
    panel = StorePanel.of(table, columns)
    return panel.log_response, panel.predictors, panel.subject.codes.astype(np.int64)


def against_bayesm() -> None:
    y, x, store = cheese()
    sums = Sums.of(y, x, store, np.zeros(store.max() + 1, dtype=np.int64))
    prior = FlexiblePrior(KAPPA, np.array([KAPPA]))
    sample(sums, prior, np.random.default_rng(1), draws=10)
    spent, _ = cpu(lambda: sample(sums, prior, np.random.default_rng(1), chains=1, burn_in=0, draws=10_000))
    print(f"cheese data: 10,000 draws in {spent:.3f} s CPU")
    if not shutil.which("Rscript"):
        print("  R is not on this machine; bayesm is not measured (Debian: r-base-core, r-cran-bayesm).")
        return
    done = subprocess.run(
        ["Rscript", "-e", R_PROGRAM, str(CHEESE)], capture_output=True, text=True, check=False, timeout=300
    )
    if done.returncode:
        print(f"  R cannot run bayesm: {done.stderr.strip().splitlines()[-1:]}")
        return
    print(f"  bayesm::rhierLinearModel needs {float(done.stdout) / spent:.1f} x our CPU time for as many")


def against_pymc() -> None:
    """One brand in the paper's size. Both sides count warm-up; PyMC's compilation is left out."""
    panel = StorePanel.of(simulated(7, n_brands=1), COLUMNS)
    y, x, store = panel.log_response, panel.predictors, panel.subject.codes.astype(np.int64)
    sums = Sums.of(y, x, store, np.zeros(34, dtype=np.int64))
    prior = FlexiblePrior(KAPPA, np.array([KAPPA]))
    sample(sums, prior, np.random.default_rng(1), draws=10)
    spent, draws = cpu(lambda: sample(sums, prior, np.random.default_rng(1), draws=5000))
    logs = [np.log(draws.tau2)[..., None], np.log(draws.sigma2)]
    ours = np.concatenate([draws.fixed, draws.random, *logs], axis=2)
    effective = effective_draws(ours)
    theirs = nuts(y, x, store, prior, draws=NUTS_DRAWS, tune=NUTS_DRAWS, timed=True)
    rate, other_rate = effective.min() / spent, theirs.effective.min() / theirs.spent
    error = np.hypot(ours.std(axis=(0, 1)) / np.sqrt(effective), theirs.mean_error)
    gap = np.abs(ours.mean(axis=(0, 1)) - theirs.mean) / error
    widths = np.abs(ours.std(axis=(0, 1)) - theirs.deviation) / theirs.deviation_error
    print(
        f"PyMC's NUTS on the same model: {rate / other_rate:.0f} x its effective draws a CPU second "
        f"({rate:,.0f} and {other_rate:.1f}); means of {len(gap)} parameters differ by {gap.max():.1f}, "
        f"deviations by {widths.max():.1f} Monte Carlo errors"
    )


def against_refitting() -> None:
    """Leave one week out, 34 stores × 102 weeks × 25 predictors, against scikit-learn fitted a week."""
    data = subject_periods(StorePanel.of(simulated(9), COLUMNS))
    spent, _ = cpu(lambda: identification(data))
    slow, worst = refitted(data)
    slow *= 102 / REFITTED
    print(
        f"leave one week out, {len(data.subject)} rows x {data.x.shape[1]} predictors: {spent:.1f} s CPU; "
        f"refitting scikit-learn a week needs {slow / spent:.0f} x; probabilities within {worst:.1e}"
    )


def refitted(data: SubjectPeriods) -> tuple[float, float]:
    """CPU seconds of some refits, and the largest difference of a probability."""
    from sklearn.linear_model import LogisticRegression

    from scoring.store_panel.logit import LogitData, leave_out

    x = data.x / data.x.std(axis=0)
    ours = dict(
        enumerate(leave_out(LogitData(x, data.subject, data.n_subjects, np.ones(x.shape[1])), data.period))
    )
    spent, worst = 0.0, 0.0
    for week in range(REFITTED):
        seen, asked = data.period != week, data.period == week
        model = LogisticRegression(C=1.0, fit_intercept=False, tol=1e-6, solver="newton-cholesky")
        used, fitted = cpu(lambda m=model, rows=seen: m.fit(x[rows], data.subject[rows]))
        spent += used
        worst = max(worst, float(np.abs(fitted.predict_proba(x[asked]) - ours[week][1]).max()))
    return spent, worst


def cpu(call: Callable[[], Any]) -> tuple[float, Any]:
    before = time.process_time()
    found = call()
    return time.process_time() - before, found


if __name__ == "__main__":
    main()
