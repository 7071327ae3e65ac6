"""`year-pseudonyms`: one pseudonym for the whole year and nothing else."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from games.shop.formats import Original2017
from games.shop.methods.anonymizer import Anonymized, Anonymizer
from games.shop.methods.months import under_pseudonyms


def year_pseudonyms(
    original: Original2017, limits: Mapping[str, float], rng: np.random.Generator
) -> Anonymized:
    """Replace every customer id by one random pseudonym, the same in all twelve months.

    Every measure of utility is 0: nothing is lost, and nothing is hidden but the names.
    """
    report = {"changed": "customer ids only"}
    return Anonymized(under_pseudonyms(original, rng, monthly=False), report)


YEAR_PSEUDONYMS = Anonymizer(
    name="year-pseudonyms",
    title="One pseudonym per year",
    meaning="Customer ids become random pseudonyms, one for the whole year; nothing else changes.",
    function=year_pseudonyms,
    reference="Organisers of PWSCUP 2017, sample with yearly pseudonyms",
    version=1,
    format="2017",
)
