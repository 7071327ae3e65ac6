"""`month-pseudonyms`: a new pseudonym every month and nothing else."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from games.shop.formats import Original2017
from games.shop.methods.anonymizer import Anonymized, Anonymizer
from games.shop.methods.months import under_pseudonyms


def month_pseudonyms(
    original: Original2017, limits: Mapping[str, float], rng: np.random.Generator
) -> Anonymized:
    """Replace every customer id by random pseudonyms, another one in every month.

    An attacker must find all twelve. The measures that compare items over users see a customer as up to
    twelve users, so that E1, E2 and E3b are not 0.
    """
    return Anonymized(under_pseudonyms(original, rng), {"changed": "customer ids only"})


MONTH_PSEUDONYMS = Anonymizer(
    name="month-pseudonyms",
    title="One pseudonym per month",
    meaning="Customer ids become random pseudonyms, a new one every month; nothing else changes.",
    function=month_pseudonyms,
    reference="Organisers of PWSCUP 2017, sample with monthly pseudonyms",
    version=1,
    format="2017",
)
