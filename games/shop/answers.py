"""The game of 2018: which pseudonym is a customer? An answer names some customers, each once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from attacks.linkage.overlap import nearest_columns
from datasets.tables import NO_GUESS, Integers


@dataclass(frozen=True, eq=False)
class Answer:
    """``pseudonym[c]`` is the place of customer c's among the release's sorted pseudonyms, or `NO_GUESS`."""

    pseudonym: Integers

    @property
    def n_claimed(self) -> int:
        return int((self.pseudonym != NO_GUESS).sum())


def mutual_answer(similarity: sparse.csr_array) -> Answer:
    """Claim a pair where each is the other's nearest: few wrong claims, as the test of 2018 counts claims."""
    there = nearest_columns(similarity)
    back = nearest_columns(similarity.T.tocsr())
    claimed = there != NO_GUESS
    customers = np.arange(len(there))
    mutual = np.zeros(len(there), dtype=bool)
    mutual[claimed] = back[there[claimed]] == customers[claimed]
    return Answer(np.where(mutual, there, NO_GUESS).astype(np.int64))
