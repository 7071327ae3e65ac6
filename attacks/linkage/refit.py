"""Linkage that refits itself to what it attacks: which evidence may be believed, and how far, without truth.

Evidence comes in kinds, and kinds that look at the same thing form a family. A family is believed as far as
it predicts whom the *other* families name: where they are sure (each other's first choice, by a margin), a
conditional logit of their choices on the family's own scores gives its weights. Evidence that was forged or
dealt out predicts nobody else's choices, so its weights go to zero. Records are split in two halves besides,
and one half's choices are explained by the other's scores: what was dealt out piece by piece betrays itself,
although all columns of a piece agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attacks.linkage.choice import Choices, Labels, choices_of, fitted, gains, mutual_choices
from attacks.linkage.likelihood import Pairs, Scores

Floats = npt.NDArray[np.float64]

ROUNDS = 2
STARTS = 3
MOST_LABELS = 160
"""Choices that a fit looks at: enough for a handful of weights."""
FEW_LABELS = 6
SURE = 2.0
"""Margin of a choice, as a logarithm of odds, above which later rounds learn from it."""
ERRORS = 1.5
"""By how many standard errors a gain must exceed zero."""
SELF_WORTH = 0.5
"""What it counts that a family's halves agree, in units of two families that do."""
ALONE = 0.5
"""What it counts that a family without halves names people clearly, though nothing confirms it."""


@dataclass(frozen=True, eq=False)
class Family:
    """Kinds of evidence that are weighed together: ``scores[k, h]`` of kind k and half h, one per pair.

    Evidence that has no halves has one layer. Families of one ``group`` look at the same thing, so that they
    cannot confirm each other; one without a group looks at everything, and confirms nobody.
    """

    name: str
    group: str
    kinds: tuple[str, ...]
    scores: Scores

    @property
    def is_split(self) -> bool:
        return self.scores.shape[1] == 2

    def part(self, half: int | None) -> Floats:
        """Pairs × kinds of one half, or of all; what has no halves is always whole."""
        if half is None or not self.is_split:
            return np.asarray(self.scores.sum(axis=1).T, dtype=np.float64)
        return np.asarray(self.scores[:, half].T, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Refitted:
    """The score of each pair as a logarithm of odds, and the weights of the kinds by family and name."""

    score: Floats
    weights: dict[str, dict[str, float]]
    support: float


Weights = dict[str, Floats]
"""By family; a family that is absent is not believed."""


def refit(pairs: Pairs, families: Sequence[Family], coarse: Scores) -> Refitted:
    """Weigh the evidence: from several starts, let each family answer to the others, and keep the best.

    ``coarse`` (kinds × pairs) says how alike two people are in what shows in everything that they do, such as
    how much of it there is. All evidence agrees as far as that, right or wrong, so it confirms nothing.
    """
    if len(pairs.original):
        families = [family for family in families if np.ptp(family.scores, axis=2).any()]
    background = np.asarray(coarse.T, dtype=np.float64)
    if not families or not len(pairs.original):
        return Refitted(np.zeros(len(pairs.original)), {}, 0.0)
    best, most = {}, -1.0
    for weights in _starts(pairs, families):
        for _ in range(ROUNDS):
            weights = _next(pairs, families, weights)
            support = _support(pairs, families, weights, background)
            if support > most:
                best, most = weights, support
    # A group is as well confirmed by one of its families as by all; those left out still know something.
    best = _next(pairs, families, best) | best
    named = {
        family.name: dict(zip(family.kinds, best[family.name].tolist(), strict=True))
        for family in families
        if family.name in best
    }
    return Refitted(_combined(pairs, families, best, None), named, most)


def _combined(pairs: Pairs, families: Sequence[Family], weights: Weights, half: int | None) -> Floats:
    score = np.zeros(len(pairs.original))
    for family in families:
        if family.name in weights:
            layers = range(family.scores.shape[1]) if half is None or not family.is_split else (half,)
            for kind in np.flatnonzero(weights[family.name]):
                for layer in layers:
                    score += weights[family.name][kind] * family.scores[kind, layer]
    return score


def _starts(pairs: Pairs, families: Sequence[Family]) -> list[Weights]:
    """Believe one family as it is and those that it confirms: the starts which explain most of the others."""
    starts: list[tuple[float, Weights]] = []
    for seed in families:
        if not seed.group:
            continue
        plain = {seed.name: np.full(len(seed.kinds), 1 / len(seed.kinds))}
        judged = {
            family.name: _judged(pairs, family, [seed], plain, sure=0.0)
            for family in families
            if family.name == seed.name or family.group != seed.group
            if family.name != seed.name or seed.is_split
        }
        weights = {name: found for name, (found, gain) in judged.items() if gain > 0}
        support = sum(gain * (SELF_WORTH if name == seed.name else 1.0) for name, (_, gain) in judged.items())
        starts.append((support, plain | weights))
    starts.sort(key=lambda start: -start[0])
    lonely = [weights for support, weights in starts[STARTS:] if support == 0]
    return [weights for _, weights in starts[:STARTS]] + lonely


def _next(pairs: Pairs, families: Sequence[Family], weights: Weights) -> Weights:
    """Fit every family to what the believed ones choose, itself only by its other half."""
    after: Weights = {}
    for family in families:
        labellers = [
            other for other in families if other.name in weights and (other is not family or family.is_split)
        ]
        if labellers:
            found, gain = _judged(pairs, family, labellers, weights, sure=SURE)
            if gain > 0:
                after[family.name] = found
        elif family.name in weights:
            after[family.name] = weights[family.name]
    return after or weights


def _support(pairs: Pairs, families: Sequence[Family], weights: Weights, background: Floats) -> float:
    """How far the believed groups confirm each other, in gains per choice; half as much for halves of one."""
    total, alone = 0.0, 0.0
    believed = [family for family in families if family.name in weights and family.group]
    for group in dict.fromkeys(family.group for family in believed):
        confirmed, own = 0.0, 0.0
        others = [family for family in believed if family.group != group]
        for family in believed:
            if family.group != group:
                continue
            if others:
                confirmed = max(confirmed, _judged(pairs, family, others, weights, SURE, background)[1])
            if family.is_split:
                own = max(own, _judged(pairs, family, [family], weights, SURE, background)[1])
            else:
                choices = mutual_choices(pairs, _combined(pairs, [family], weights, None))
                alone = max(alone, ALONE * len(choices.rows) / max(pairs.n_released, 1))
        total += confirmed + SELF_WORTH * own
    return max(total, alone)


def _judged(
    pairs: Pairs,
    family: Family,
    labellers: Sequence[Family],
    weights: Weights,
    sure: float,
    background: Floats | None = None,
) -> tuple[Floats, float]:
    """Weights of a family fitted to the choices of others, and its gain per choice.

    The gain is that of choices which the weights were not fitted to, above ln(1/candidates) or above what the
    background explains, less some standard errors; 0 where it does not exceed them.
    """
    folds = _folds(pairs, family, labellers, weights, sure)
    if min(len(labels.rows) for _, labels in folds) < FEW_LABELS // 2:
        return np.zeros(len(family.kinds)), 0.0
    found, gain = _crossed([choices_of(pairs, x, labels) for x, labels in folds])
    if background is not None:
        both = [choices_of(pairs, np.hstack([x, background]), labels) for x, labels in folds]
        gain = _crossed(both)[1] - _crossed([choices_of(pairs, background, labels) for _, labels in folds])[1]
    error = float(gain.std()) / np.sqrt(len(gain))
    return found, max(0.0, float(gain.mean()) - ERRORS * error)


def _crossed(sets: Sequence[Choices]) -> tuple[Floats, Floats]:
    """The mean of the weights that two sets of choices give, and the gains of each by those of the other."""
    found = [fitted(choices) for choices in sets]
    gain = np.concatenate([gains(choices, found[1 - fold]) for fold, choices in enumerate(sets)])
    return (found[0] + found[1]) / 2, gain


def _folds(
    pairs: Pairs, family: Family, labellers: Sequence[Family], weights: Weights, sure: float
) -> list[tuple[Floats, Labels]]:
    """Two sets of choices and the scores that should explain them, of opposite halves where there are any."""
    if family.is_split and any(other.is_split for other in labellers):
        folds = []
        for half in (0, 1):
            labels, x = _labels(pairs, labellers, weights, 1 - half, sure), family.part(half)
            folds.append((x, labels.informed(pairs, x).first(MOST_LABELS)))
        return folds
    labels, x = _labels(pairs, labellers, weights, None, sure), family.part(None)
    return [(x, labels.first(2 * MOST_LABELS).every_second(fold)) for fold in (0, 1)]


def _labels(
    pairs: Pairs, labellers: Sequence[Family], weights: Weights, half: int | None, sure: float
) -> Labels:
    chosen = mutual_choices(pairs, _combined(pairs, labellers, weights, half))
    confident = chosen.surer_than(sure)
    return confident if len(confident.rows) >= FEW_LABELS else chosen
