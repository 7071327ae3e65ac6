"""`person-k`: K-anonymity that counts people instead of records."""

from __future__ import annotations

import numpy as np
import pandas as pd

from anonymizers.anonymizer import Parameter
from anonymizers.engines.gh_tree.partition import Rule
from anonymizers.engines.gh_tree.release import TABLE_PARAMETERS, protect, with_diversity
from anonymizers.table_method import Columns, TableMethod, TableResult, columns_of


def person_k(
    table: pd.DataFrame,
    columns: Columns,
    rng: np.random.Generator,
    *,
    k: int,
    l: float,  # noqa: E741
    output: str,
    orders: str,
    unordered: str,
    ids: str,
    others: str,
) -> TableResult:
    """Split at the median of the widest attribute as long as every part has at least K different people.

    All records of a person stay together. It says nothing about balance: one person may own nearly all
    records of a group; see `gh-tree`. ``l`` > 1 also requires that no sensitive value fills more than 1/l of
    a group's records.
    """
    rule = with_diversity(Rule("widest", people=k), l, columns_of(columns, "sensitive"), "person-k")
    return protect(
        "person-k", table, columns, rng, rule, together=True,
        output=output, orders=orders, unordered=unordered, ids=ids, others=others,
    )  # fmt: skip


PERSON_K = TableMethod(
    name="person-k",
    title="K-anonymity by person",
    meaning="Groups of at least K different people with the same quasi-identifiers.",
    function=person_k,
    reference="Tao et al., 'Protecting the Publishing Identity in Multiple Tuples' (2008).",
    version=1,
    parameters=(
        Parameter("k", "int", 5, "Fewest people of a group.", low=1),
        Parameter("l", "float", 1.0, "Least l-diversity by record; 1 is none.", low=1),
        *TABLE_PARAMETERS,
    ),
    optional=("sensitive",),
)
