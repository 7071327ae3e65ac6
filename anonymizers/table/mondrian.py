"""`mondrian`: the classical k-anonymity by record, the peer that `gh-tree` is measured against."""

from __future__ import annotations

import numpy as np
import pandas as pd

from anonymizers.anonymizer import Parameter
from anonymizers.engines.gh_tree.partition import Rule
from anonymizers.engines.gh_tree.release import TABLE_PARAMETERS, protect, with_diversity
from anonymizers.table_method import Columns, TableMethod, TableResult, columns_of


def mondrian(
    table: pd.DataFrame,
    columns: Columns,
    rng: np.random.Generator,
    *,
    k: int,
    l: float,  # noqa: E741
    together: bool,
    cut: str,
    output: str,
    orders: str,
    unordered: str,
    ids: str,
    others: str,
) -> TableResult:
    """Split an attribute again and again as long as every part has at least k records.

    ``cut=median`` is LeFevre's choice: the median of the widest attribute, scaled to 0…1. ``cut=narrowing``
    takes the attribute and, among all cuts that leave a quarter of the records on either side, the one that
    most lowers Σ records × width of the cells: a smaller loss at the same k and in the same time O(N log N).

    Records are what is counted: where a person has several, a group of k records may be one person; see
    `person-k` and `gh-tree`. ``together`` keeps the records of a person in one group all the same. Equal
    numbers may be cut apart (relaxed partitioning); categories as in `gh-tree`. ``l`` > 1 also requires that
    no sensitive value fills more than 1/l of a group's records.
    """
    criterion = Rule("narrowing" if cut == "narrowing" else "widest", k=k)
    rule = with_diversity(criterion, l, columns_of(columns, "sensitive"), "mondrian")
    return protect(
        "mondrian", table, columns, rng, rule, together=together,
        output=output, orders=orders, unordered=unordered, ids=ids, others=others,
    )  # fmt: skip


MONDRIAN = TableMethod(
    name="mondrian",
    title="Mondrian k-anonymity",
    meaning="Groups of at least k records with the same quasi-identifiers; people are not counted.",
    function=mondrian,
    reference="LeFevre, DeWitt, Ramakrishnan, 'Mondrian Multidimensional K-Anonymity' (ICDE 2006).",
    version=1,
    parameters=(
        Parameter("k", "int", 5, "Fewest records of a group.", low=1),
        Parameter("l", "float", 1.0, "Least l-diversity by record; 1 is none.", low=1),
        Parameter("together", "bool", False, "Keep all records of a person in one group."),
        Parameter(
            "cut",
            "choice",
            "median",
            "At the median of the widest attribute, or where cells narrow most.",
            choices=("median", "narrowing"),
        ),
        *TABLE_PARAMETERS,
    ),
    optional=("sensitive",),
)
