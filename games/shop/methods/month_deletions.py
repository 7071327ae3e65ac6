"""`month-deletions`: one pseudonym per month, and some rows deleted at random."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from anonymizers.anonymizer import Parameter
from games.shop.formats import Original2017
from games.shop.methods.anonymizer import Anonymized, Anonymizer
from games.shop.methods.months import under_pseudonyms, without_rows


def month_deletions(
    original: Original2017, limits: Mapping[str, float], rng: np.random.Generator, *, share: float
) -> Anonymized:
    """Delete a share of the rows, drawn at random, under a new pseudonym every month.

    Deleted rows cannot be matched, and a month that loses all its rows cannot be found by its purchases.
    E6 is the share.
    """
    sheet = under_pseudonyms(original, rng)
    gone = rng.permutation(sheet.n_rows)[: int(sheet.n_rows * share)]
    return Anonymized(without_rows(sheet, gone), {"changed": f"{len(gone)} of {sheet.n_rows} rows deleted"})


MONTH_DELETIONS = Anonymizer(
    name="month-deletions",
    title="One pseudonym per month, and rows deleted",
    meaning="A share of the rows is deleted at random, under a new pseudonym every month.",
    function=month_deletions,
    reference="Platform definition v1, after the organisers' sample of PWSCUP 2017",
    version=1,
    parameters=(Parameter("share", "float", 0.3, "Share of the rows that is deleted.", low=0, high=0.5),),
    format="2017",
)
