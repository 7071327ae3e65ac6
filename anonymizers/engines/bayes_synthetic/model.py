"""The random-effects model of log responses, its flexible prior, and all that a sampler needs of the data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arithmetic import gram, product
from datasets.tables import Integers

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FlexiblePrior:
    """The prior of model (3), turned by one knob κ (Section 2.3.2).

    (β, ln γ) ~ N(0, I/κ); σ²_u ~ IG(ν₀/2, V₀/2) with ν₀ = 100κ and V₀ = 1/(10κ); μ ~ N(0, K²);
    τ² ~ IG(a₀, b₀). ``group_kappa[g]`` is the κ of the random effects of group g of subjects: the extension
    to groups with one variance each that Section 4 proposes. Fixed effects are shared, so they have one κ.
    """

    kappa: float
    group_kappa: Floats
    intercept_variance: float = 1e6
    a0: float = 0.01
    b0: float = 0.01

    @property
    def nu0(self) -> Floats:
        return 100.0 * self.group_kappa

    @property
    def v0(self) -> Floats:
        return 1.0 / (10.0 * self.group_kappa)


@dataclass(frozen=True, eq=False)
class Sums:
    """Sufficient statistics of one brand: with them an iteration costs the same for any number of weeks.

    The design is Z = [1, X], X = [ln price, promotions]. ``ztz`` = ZᵀZ, ``zty`` = Zᵀ ln S, ``yty`` the sum of
    squares. Subject i of group ``group[i]`` has ``count[i]`` rows, whose sums are ``z[i]`` and ``y[i]``.
    """

    n_rows: int
    ztz: Floats
    zty: Floats
    yty: float
    count: Floats
    z: Floats
    y: Floats
    group: Integers

    @classmethod
    def of(cls, log_response: Floats, predictors: Floats, subject: Integers, group: Integers) -> Sums:
        """Sum the rows; ``group[i]`` is the group of subject i, and every subject has a row.

        >>> sums = Sums.of(np.array([1.0, 3.0]), np.zeros((2, 0)), np.array([0, 0]), np.array([0]))
        >>> sums.count.tolist(), sums.y.tolist(), sums.yty
        ([2.0], [4.0], 10.0)
        """
        design = np.column_stack([np.ones(len(log_response)), predictors])
        n_subjects = len(group)
        per_subject = [np.bincount(subject, weights=column, minlength=n_subjects) for column in design.T]
        return cls(
            n_rows=len(log_response),
            ztz=gram(design),
            zty=product(design.T, log_response),
            yty=float(product(log_response, log_response)),
            count=np.bincount(subject, minlength=n_subjects).astype(np.float64),
            z=np.ascontiguousarray(np.column_stack(per_subject)),
            y=np.bincount(subject, weights=log_response, minlength=n_subjects).astype(np.float64),
            group=group.astype(np.int64),
        )
