"""All evidence weighed together."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from attacks.attack import Guess, HouseAttack
from attacks.linkage.assignment import match_listed
from attacks.linkage.candidates import Candidates
from datasets.tables import Integers
from games.shop.data.tables import PurchaseData
from games.shop.linkage.conditional_logit import chances, features, fit
from games.shop.linkage.evidence import Evidence, evidence
from games.shop.practice import practice_entry, sampled

ENTRIES = 16
PEOPLE = 120
LIST_LENGTH = 24
SHORT_LENGTH = 8
WORLD = 2000
"""Up to this many customers take part in practice; with more in M, lists are short."""
MATCHED = 40


def re_ensemble(original: PurchaseData, released: PurchaseData, rng: np.random.Generator) -> Guess:
    """Weigh the similarities of all other attacks, with weights learned on entries that it makes itself.

    The chance that released customer i is j is P(j | i) ∝ exp(β · x_ij). For each of nine similarities
    (items, rare items, quantities, prices, days, receipts, master, total, RFM) x_ij holds its value, its lead
    over the row's best other candidate, and both times its agreement: how often its leader also leads by
    evidence of another kind, which shows without any truth what the entry scrambled. β is fitted to 16
    practice entries of 120 customers, disguised by random recipes. The guess is the one-to-one Q that
    maximises Σ_i P(Q(i) | i), the expected number of hits, over the 24 best candidates (8 where M has more
    than 2,000 rows) of each released customer by each similarity.

    Exploits: whatever of items, dates, amounts and master data an entry leaves intact. Cost: the sum of the
    others, 17 times over small tables; sparse, in lists of candidates.

    Reference: platform definition v1; D. McFadden, "Conditional logit analysis of qualitative choice
    behavior", 1973.
    """
    weights = _weights_for(original, rng)
    found = evidence(original, released, LIST_LENGTH if original.n_customers <= WORLD else SHORT_LENGTH)
    return Guess(match_listed(_likeliest(found, chances(found, weights)), original.n_customers))


_LEARNED: WeakKeyDictionary[PurchaseData, dict[str, np.ndarray]] = WeakKeyDictionary()


def _weights_for(original: PurchaseData, rng: np.random.Generator) -> np.ndarray:
    """Practice once for all entries of one original and one seed: it does not depend on the entry."""
    kept = _LEARNED.setdefault(original, {})
    state = str(rng.bit_generator.state)
    if state not in kept:
        kept[state] = learned(sampled(original, WORLD, rng), rng)
    return kept[state]


def _likeliest(found: Evidence, chance: np.ndarray) -> Candidates:
    """The likeliest candidates of each customer, in lists that the matching can take."""
    order = np.lexsort((-chance, found.released))
    begin = np.concatenate([[0], np.cumsum(np.bincount(found.released, minlength=found.n_released))])
    rank = np.arange(len(order)) - begin[found.released[order]]
    kept = np.sort(order[rank < MATCHED])
    start = np.concatenate([[0], np.cumsum(np.bincount(found.released[kept], minlength=found.n_released))])
    return Candidates(start, found.original[kept], chance[kept])


def learned(original: PurchaseData, rng: np.random.Generator) -> np.ndarray:
    """The weights of the evidence, from practice entries alone."""
    parts: list[tuple[np.ndarray, Integers, np.ndarray]] = []
    for _ in range(ENTRIES):
        entry = practice_entry(original, PEOPLE, rng)
        found = evidence(original, entry.data, LIST_LENGTH)
        parts.append((features(found), found.released, found.original == entry.truth[found.released]))
    return fit(parts)


RE_ENSEMBLE = HouseAttack(
    name="re-ensemble",
    title="All evidence weighed together",
    meaning="Items, dates, receipts, amounts and master data, with weights learned on practice entries.",
    exploits="Whatever an entry leaves intact: what was scrambled betrays itself by agreeing with nothing.",
    cost="The sum of the other attacks, some seconds more for practice.",
    function=re_ensemble,
    reference="Platform definition v1; McFadden, 'Conditional logit analysis of qualitative choice', 1973",
    version=2,
)
