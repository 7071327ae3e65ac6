"""What probabilities of identification mean: loss of protection, Gini impurity, entropy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arithmetic import log2

Floats = npt.NDArray[np.float64]


def loss_of_protection(probabilities: Floats) -> Floats:
    """LP_i = √(n Σ_i′ P(Ŷ_i = ID_i′)²) − 1 of every row (equation 7).

    From 0, where all n identities are equally likely, to √n − 1, where one is certain. Lower is better.

    Reference: M. J. Schneider et al., "A Flexible Method for Protecting Marketing Data", 2017.

    >>> loss_of_protection(np.array([[0.25, 0.25, 0.25, 0.25], [1.0, 0.0, 0.0, 0.0]])).tolist()
    [0.0, 1.0]
    """
    n = probabilities.shape[1]
    # Rounding may take the sum slightly below 1/n, and the loss of an even row below its bound.
    return np.maximum(np.sqrt(n * (probabilities**2).sum(axis=1)) - 1, 0.0)


def gini_impurity(probabilities: Floats) -> Floats:
    """Gini_i = 1 − Σ P², from 0 to 1 − 1/n, higher is better; LP_i = √(n(1 − Gini_i)) − 1 (footnote 6).

    >>> gini_impurity(np.array([[0.5, 0.5], [1.0, 0.0]])).tolist()
    [0.5, 0.0]
    """
    return 1 - (probabilities**2).sum(axis=1)


def entropy(probabilities: Floats) -> Floats:
    """−Σ P log₂ P in bits, from 0 to log₂ n, higher is better (footnote 6); 0 log 0 = 0.

    >>> entropy(np.array([[0.5, 0.5], [1.0, 0.0]])).tolist()
    [1.0, 0.0]
    """
    logs = log2(np.where(probabilities > 0, probabilities, 1.0))
    # Adding 0 turns the −0 of a certain row into 0.
    return -(probabilities * logs).sum(axis=1) + 0.0


@dataclass(frozen=True, eq=False)
class Protection:
    """Loss of protection of every subject and its summaries."""

    loss: Floats
    gini: Floats
    entropy: Floats
    found: float
    """Share of the subjects whose most likely identity is their own; 1/n by chance."""

    @classmethod
    def of(cls, probabilities: Floats) -> Protection:
        """From the n × n matrix of equation (6): row i the probabilities of the identities of subject i."""
        best = probabilities.argmax(axis=1) == np.arange(len(probabilities))
        return cls(
            loss=loss_of_protection(probabilities),
            gini=gini_impurity(probabilities),
            entropy=entropy(probabilities),
            found=float(best.mean()),
        )

    @property
    def alp(self) -> float:
        """Average loss of protection."""
        return float(self.loss.mean())

    @property
    def mlp(self) -> float:
        """Maximum loss of protection (equation 8): the least protected subject's."""
        return float(self.loss.max())
