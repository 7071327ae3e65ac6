"""`starred-rows`: purchases that few people share are deleted whole."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from anonymizers.anonymizer import Parameter
from anonymizers.engines.benchmark_steps import distinct_holders
from games.shop.data.pwscup2018 import Sheet2018
from games.shop.methods.anonymizer import Anonymized, Anonymizer
from games.shop.methods.cells2018 import numbered, without


def starred_rows(
    original: Sheet2018, limits: Mapping[str, float], rng: np.random.Generator, *, k: int
) -> Anonymized:
    """Delete the rows whose item fewer than k different customers bought.

    Rare items single people out. Customers who bought nothing else vanish from A, and nobody can claim them.
    """
    holders = distinct_holders(original.item.codes.astype(np.int64), original.id.codes)
    gone = np.flatnonzero(holders < k)
    report = {"changed": f"{len(gone)} of {original.n_rows} rows deleted"}
    return Anonymized(without(numbered(original, rng), gone), report)


STARRED_ROWS = Anonymizer(
    name="starred-rows",
    title="Rare purchases deleted",
    meaning="Rows whose item fewer than k customers bought are deleted whole.",
    function=starred_rows,
    reference="Platform definition v1, in the cells of PWSCUP 2018",
    version=1,
    parameters=(
        Parameter("k", "int", 5, "An item must be bought by this many customers.", low=2, high=1000),
    ),
    format="2018",
)
