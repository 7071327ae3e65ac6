"""`gh-tree`: groups in which nobody stands out by many records and no sensitive value by many people."""

from __future__ import annotations

import numpy as np
import pandas as pd

from anonymizers.anonymizer import Parameter, ParameterError
from anonymizers.engines.gh_tree.partition import Rule
from anonymizers.engines.gh_tree.release import TABLE_PARAMETERS, protect, with_diversity
from anonymizers.table_method import Columns, TableMethod, TableResult, columns_of


def gh_tree(
    table: pd.DataFrame,
    columns: Columns,
    rng: np.random.Generator,
    *,
    g: float,
    h: float,
    l: float,  # noqa: E741
    output: str,
    orders: str,
    unordered: str,
    ids: str,
    others: str,
) -> TableResult:
    """Split the table again and again at a median, as long as every part satisfies g* and h*.

    For a set t of records with c_i records of person i, n_t people, n_j of them with sensitive value j:

        g(t) = 1 − Σ_i (c_i / Σ c)²,   h(t) = max_j n_j / n_t,
        Δg = g(t) − Σ_s (records of s / records of t) · g(s),   r_j = Δg / v_j

    where v_j is the variance of attribute j over the records, scaled to 0…1 over the whole table. The
    attribute with the least r_j is split first; if a part would have g < g* or h > h*, the next attribute is
    tried. Where none holds, the set is a group, and all its records show the same range, mean or set.

    All records of a person stay together. With several ages or ZIPs a person is placed at the mean of their
    records (numbers, ordered categories) or at their commonest category. Numbers are cut between people so
    that the records left are nearest to half (of two such cuts, the later), equal values with fewest records
    first; ordered categories only between categories; unordered ones as one category against all others.
    Unordered attributes with more than 64 categories are cut in the order of their names, and numbers of only
    two values between them.

    The time is O(N log N) in records. A group with g ≥ g* has at least 1/(1 − g*) people (Theorem 1). Several
    sensitive columns must each satisfy h*. ``l`` adds the record-wise l-diversity, for comparison.
    """
    return protect(
        "gh-tree", table, columns, rng, rule_of(columns, g, h, l), together=True,
        output=output, orders=orders, unordered=unordered, ids=ids, others=others,
    )  # fmt: skip


def rule_of(columns: Columns, g: float, h: float, diversity: float) -> Rule:
    """What every group must satisfy; h* and l need a sensitive column."""
    sensitive = columns_of(columns, "sensitive")
    if h < 1 and not sensitive:
        raise ParameterError(
            f"The 'h' parameter of gh-tree needs a sensitive column. Got h = {h:g} and none."
        )
    return with_diversity(Rule("balance-variance", g=g, h=h), diversity, sensitive, "gh-tree")


GH_TREE = TableMethod(
    name="gh-tree",
    title="g-balance and h-affiliation tree",
    meaning="Groups people who have several records each, so that neither a person nor a secret stands out.",
    function=gh_tree,
    reference="Kartal, Li, Protecting Privacy … with Multiple Records per Person (JAIS 2020), Table 5",
    version=1,
    parameters=(
        Parameter("g", "float", 0.5, "Least g-balance of a group: 1 − 1/k of k even people.", 0, 0.999999),
        Parameter("h", "float", 1.0, "Largest share of a group with one sensitive value.", 0.000001, 1),
        Parameter("l", "float", 1.0, "Least l-diversity by record, for comparison; 1 is none.", 1),
        *TABLE_PARAMETERS,
    ),
    optional=("sensitive",),
    picture="contest/methods/_gh-tree.html",
)
