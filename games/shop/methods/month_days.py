"""`month-days`: one pseudonym per month, and days redrawn inside their month."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from anonymizers.anonymizer import Parameter
from datasets.tables import Codes, frozen
from games.shop.data.pwscup2017 import year_month
from games.shop.formats import Original2017
from games.shop.methods.anonymizer import Anonymized, Anonymizer
from games.shop.methods.months import under_pseudonyms


def month_days(
    original: Original2017, limits: Mapping[str, float], rng: np.random.Generator, *, share: float
) -> Anonymized:
    """Give a share of the rows a day drawn at random from the days of T in their month.

    Attacks that match on the date lose those rows. E4 grows with the share; a month keeps its rows.
    """
    sheet = original.sheet
    chosen = np.flatnonzero(rng.random(sheet.n_rows) < share)
    day = sheet.day.copy()
    day[chosen] = _redrawn(sheet.day, chosen, rng)
    draft = replace(sheet, day=frozen(day))
    report = {"changed": f"the day of {len(chosen)} of {sheet.n_rows} rows"}
    return Anonymized(under_pseudonyms(original, rng, draft=draft), report)


def _redrawn(days: Codes, chosen: np.ndarray, rng: np.random.Generator) -> Codes:
    """For each chosen row the day of a random row of its month."""
    month = year_month(days)
    order = np.argsort(month, kind="stable")
    _, first, count = np.unique(month[order], return_index=True, return_counts=True)
    place = np.unique(month, return_inverse=True)[1][chosen]
    drawn = first[place] + (rng.random(len(chosen)) * count[place]).astype(np.int64)
    return days[order][drawn]


MONTH_DAYS = Anonymizer(
    name="month-days",
    title="One pseudonym per month, and days redrawn",
    meaning="A share of the rows moves to another day of its month, under a new pseudonym every month.",
    function=month_days,
    reference="Platform definition v1",
    version=1,
    parameters=(Parameter("share", "float", 0.5, "Share of the rows whose day is redrawn.", low=0, high=1),),
    format="2017",
)
