"""Margins kept: the Kolmogorov–Smirnov distance, moments and quantiles of a masked column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

QUANTILES = (0.05, 0.25, 0.50, 0.75, 0.95)
MOMENTS = ("mean", "variance", "skewness", "kurtosis")


@dataclass(frozen=True)
class Margins:
    """``ks`` is 0 for equal margins and at most 1; the others are masked minus original, 0 at best."""

    ks: float
    moments: dict[str, float]
    quantiles: dict[str, float]


def margins(original: npt.ArrayLike, masked: npt.ArrayLike) -> Margins:
    """Compare two columns as Qian and Xie do in 5.2.

    KS = max_x |F_masked(x) − F_original(x)|. The variance is the sample's (n − 1), skewness and kurtosis are
    the standardised third and fourth moments (3 for a normal kurtosis), quantiles interpolate linearly.

    >>> margins([1, 2, 3, 4], [1, 2, 3, 4]).ks
    0.0
    >>> found = margins([0, 0, 1, 1], [1, 1, 1, 1])
    >>> found.ks, found.moments["mean"], found.quantiles["Q25"]
    (0.5, 0.5, 1.0)
    """
    before, after = np.asarray(original, dtype=float), np.asarray(masked, dtype=float)
    first, second = moments(before), moments(after)
    apart = np.quantile(after, QUANTILES) - np.quantile(before, QUANTILES)
    names = [f"Q{100 * q:02.0f}" for q in QUANTILES]
    return Margins(
        ks=ks_distance(before, after),
        moments={name: second[name] - first[name] for name in MOMENTS},
        quantiles=dict(zip(names, apart.tolist(), strict=True)),
    )


def ks_distance(original: Floats, masked: Floats) -> float:
    """The largest gap between the two empirical distribution functions.

    >>> ks_distance(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    1.0
    """
    at = np.concatenate([original, masked])
    shares = [np.searchsorted(np.sort(x), at, side="right") / len(x) for x in (original, masked)]
    return float(np.abs(shares[0] - shares[1]).max())


def moments(values: Floats) -> dict[str, float]:
    """Mean, sample variance, skewness and kurtosis; a constant column has skewness and kurtosis 0.

    >>> moments(np.array([-1.0, 1.0]))["kurtosis"]
    1.0
    """
    centred = values - values.mean()
    spread = float((centred**2).mean())
    return {
        "mean": float(values.mean()),
        "variance": spread * len(values) / max(len(values) - 1, 1),
        "skewness": float((centred**3).mean() / spread**1.5) if spread else 0.0,
        "kurtosis": float((centred**4).mean() / spread**2) if spread else 0.0,
    }
