"""Did the chains converge? Split R-hat and effective sample size."""

from __future__ import annotations

import numpy as np

from anonymizers.engines.bayes_synthetic.model import Floats
from arithmetic import log

COLUMNS = 256
"""Parameters handled at once."""


def split_rhat(draws: Floats) -> Floats:
    """Split R-hat of every parameter; ``draws`` is chains × draws × parameters. At least about 1, best 1.

    R̂ = √(((N−1)/N · W + B/N) / W) over half chains of length N: W the mean variance within them, B/N the
    variance of their means.

    Reference: A. Vehtari et al., "Rank-Normalization, Folding, and Localization: An Improved R̂", Bayesian
    Analysis 16(2), 2021, equations 1 to 4.

    >>> stuck = np.repeat([0.0, 5.0], 100).reshape(2, 100, 1) + np.sin(np.arange(200)).reshape(2, 100, 1)
    >>> bool(split_rhat(stuck)[0] > 3)
    True
    """
    halves = _halves(draws)
    length = halves.shape[1]
    within = halves.var(axis=1, ddof=1).mean(axis=0)
    between = halves.mean(axis=1).var(axis=0, ddof=1)
    return np.sqrt((length - 1) / length + between / np.maximum(within, 1e-300))


def effective_draws(draws: Floats) -> Floats:
    """Effective sample size of every parameter's mean; ``draws`` is chains × draws × parameters.

    ESS = MN / (−1 + 2 Σ_k P_k), P_k = ρ_2k + ρ_2k+1, summed up to the first negative one and made monotone;
    ρ_t = 1 − (W − mean autocovariance at lag t) / var⁺, over half chains.

    Reference: as `split_rhat`, equations 10 to 13.

    >>> independent = np.random.default_rng(1).normal(size=(4, 500, 1))
    >>> bool(1200 < effective_draws(independent)[0] < 2800)  # 1,970 with a deviation of 120
    True
    """
    halves = _halves(draws)
    found = [_effective(halves[..., begin : begin + COLUMNS]) for begin in range(0, halves.shape[2], COLUMNS)]
    return np.concatenate(found) if found else np.empty(0)


def _effective(halves: Floats) -> Floats:
    chains, length, _ = halves.shape
    centred = halves - halves.mean(axis=1, keepdims=True)
    spectrum = np.fft.rfft(centred, 2 * length, axis=1)
    autocovariance = np.fft.irfft(np.abs(spectrum) ** 2, axis=1)[:, :length] / length
    within = autocovariance[:, 0].mean(axis=0) * length / (length - 1)
    plus = within * (length - 1) / length + halves.mean(axis=1).var(axis=0, ddof=1)
    correlation = 1 - (within - autocovariance.mean(axis=0)) / np.maximum(plus, 1e-300)
    correlation[0] = 1
    even = length // 2 * 2
    pairs = correlation[:even:2] + correlation[1:even:2]
    pairs[np.logical_or.accumulate(pairs < 0, axis=0)] = 0
    time = -1 + 2 * np.minimum.accumulate(pairs, axis=0).sum(axis=0)
    # Antithetic chains can be better than independent draws; the usual cap keeps the estimate sane.
    total = chains * length
    return np.minimum(total / np.maximum(time, 1e-12), total * log(total) / log(10))


def _halves(draws: Floats) -> Floats:
    half = draws.shape[1] // 2
    return np.concatenate([draws[:, :half], draws[:, -half:]])
