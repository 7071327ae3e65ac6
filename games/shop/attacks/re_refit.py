"""All evidence, refitted to the entry."""

from __future__ import annotations

import numpy as np

from attacks.attack import Guess, HouseAttack
from attacks.linkage.assignment import match_all, match_listed
from attacks.linkage.candidates import Candidates
from attacks.linkage.choice import log_chances
from attacks.linkage.likelihood import Pairs, all_pairs
from attacks.linkage.refit import Floats, Refitted, refit
from datasets.tables import Integers
from games.shop.data.tables import PurchaseData
from games.shop.linkage.evidence import likely_pairs
from games.shop.linkage.kinds import families, sizes

ALL_PAIRS = 400_000
"""Up to this many pairs of customers all are weighed; beyond, those that some view of them lists."""
LIST_LENGTH = 10
UNLIKELY = 60.0
"""Logarithms of chances below minus this are equally bad to the matching."""


def re_refit(original: PurchaseData, released: PurchaseData, rng: np.random.Generator) -> Guess:
    """Learn from the entry itself which evidence to believe, then guess one-to-one by all that is believed.

    Evidence x_ij are logarithms of likelihood ratios in eight families: items (at three levels of noise, as
    sets, with quantities, with prices), days (moved by 0, 3, 10 or 30 days, since the first one, with items,
    with lines, times of day), first and last day, lines of receipts, counts, money, attributes, and the weeks
    of re-logit. The chance that released customer i is j is P(j | i) ∝ exp(Σ_f β_f · x_ij). The β_f of each
    family, none negative, are those of a conditional logit that explains whom the others choose: pairs that
    are each other's first choice, by a margin. Purchases are split by day in two halves, and the choices of
    one half are explained by the evidence of the other. What explains no choice beyond how large customers
    are is not believed. This is done from several starts; the one whose families confirm each other most is
    kept. The guess is the one-to-one Q that maximises Σ_i ln P(Q(i) | i), over all pairs where there are up
    to 400,000, else over 10 candidates of each released customer by each of nine similarities.

    Exploits: whatever is left, and that forged evidence agrees with nothing else. Cost: some hundred fits of
    a few weights; sparse, in lists of candidates, for more than some hundred customers.

    Reference: platform definition v1; D. McFadden, "Modelling the choice of residential location", 1978;
    I. P. Fellegi, A. B. Sunter, "A theory for record linkage", 1969.
    """
    pairs = _pairs(original, released)
    found = refitted(original, released, pairs)
    if len(pairs.original) == released.n_customers * original.n_customers:
        return Guess(match_all(found.score.reshape(released.n_customers, original.n_customers)))
    return Guess(match_listed(_listed(pairs, found.score), original.n_customers))


def refitted(original: PurchaseData, released: PurchaseData, pairs: Pairs) -> Refitted:
    """The score of each pair, and which evidence carries it."""
    return refit(pairs, families(pairs, original, released), sizes(pairs, original, released))


def believed(original: PurchaseData, released: PurchaseData) -> dict[str, dict[str, float]]:
    """The weights of the kinds of evidence that the attack believes, by family: what carried its guess."""
    weights = refitted(original, released, _pairs(original, released)).weights
    return {
        family: {kind: round(weight, 3) for kind, weight in kinds.items() if weight > 0}
        for family, kinds in weights.items()
    }


def _pairs(original: PurchaseData, released: PurchaseData) -> Pairs:
    if original.n_customers * released.n_customers <= ALL_PAIRS:
        return all_pairs(released.n_customers, original.n_customers)
    return likely_pairs(original, released, LIST_LENGTH)


def _listed(pairs: Pairs, score: Floats) -> Candidates:
    """Chances as similarities from 0 to 1, on the scale of their logarithms."""
    chance = log_chances(pairs, score)
    rows: Integers = pairs.original
    return Candidates(pairs.start, rows, 1 - np.minimum(-chance, UNLIKELY) / (UNLIKELY + 1))


RE_REFIT = HouseAttack(
    name="re-refit",
    title="All evidence, refitted to the entry",
    meaning="Learns from the entry itself which items, days, amounts and attributes agree, and uses those.",
    exploits="Whatever an entry leaves intact: forged evidence agrees with nothing else and gets no weight.",
    cost="Some hundred small fits: seconds, for thousands of customers up to a minute.",
    function=re_refit,
    reference="Platform definition v1; McFadden, 'Modelling the choice of residential location', 1978",
    version=1,
)
