"""`numbers-only`: random numbers for customers and nothing else."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from games.shop.data.pwscup2018 import Sheet2018
from games.shop.methods.anonymizer import Anonymized, Anonymizer
from games.shop.methods.cells2018 import numbered


def numbers_only(original: Sheet2018, limits: Mapping[str, float], rng: np.random.Generator) -> Anonymized:
    """Replace customer ids by random numbers; every cell stays as it is.

    ut-il is 0, and every attack that compares purchases finds nearly everybody.
    """
    return Anonymized(numbered(original, rng), {"changed": "customer ids only"})


NUMBERS_ONLY = Anonymizer(
    name="numbers-only",
    title="Pseudonyms only",
    meaning="Customer ids become random numbers; nothing else changes.",
    function=numbers_only,
    reference="Organisers of PWSCUP 2018, sample A",
    version=1,
    format="2018",
)
