"""`identity`: pseudonyms and nothing else."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from games.shop.data.tables import PurchaseData
from games.shop.methods.anonymizer import Anonymized, Anonymizer
from games.shop.methods.release import publish


def identity(original: PurchaseData, limits: Mapping[str, float], rng: np.random.Generator) -> Anonymized:
    """Replace customer ids by random pseudonyms; every other cell stays.

    Utility is perfect and protection nil: it shows what an attack finds in merely pseudonymised data. Rows
    are shuffled, since their order would give the customers away without any attack.
    """
    return Anonymized(publish(original, rng, keep_receipts=True), {"changed": "customer ids only"})


IDENTITY = Anonymizer(
    name="identity",
    title="Pseudonyms only",
    meaning="Customer ids become random pseudonyms; nothing else changes.",
    function=identity,
    reference="Schneider et al., 'A Flexible Method for Protecting Marketing Data', Table 1, 1.",
    version=1,
)
