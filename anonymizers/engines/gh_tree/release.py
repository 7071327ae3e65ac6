"""What the three methods share: code the table, check that the rule can hold, split, generalise, report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from anonymizers.anonymizer import Parameter, ParameterError
from anonymizers.engines.gh_tree.coding import Units, code_table
from anonymizers.engines.gh_tree.figures import GroupFigures, average_normalised_error, group_figures, summary
from anonymizers.engines.gh_tree.generalise import generalised, parsed_forms
from anonymizers.engines.gh_tree.partition import Partition, Rule, partition
from anonymizers.release import CannotProtect, fresh_names
from anonymizers.table_method import Columns, TableResult, columns_of, only_column
from datasets.tables import Integers

GROUP_COLUMN = "qi_group"
LIST_LIMIT = 100
"""A report lists this many groups; all of them are in the table."""

TABLE_PARAMETERS = (
    Parameter("output", "text", "", "range, mean, set or mode; for all columns, or COLUMN=FORM,…"),
    Parameter("orders", "text", "", "Ordered categories, from low to high: COLUMN:A<B<C;COLUMN:…"),
    Parameter("unordered", "text", "", "Numeric columns that are mere labels: COLUMN,COLUMN."),
    Parameter(
        "ids",
        "choice",
        "pseudonym",
        "New random ids and sorted records, or ids and order kept.",
        choices=("pseudonym", "keep"),
    ),
    Parameter("others", "choice", "drop", "Columns without a role.", choices=("drop", "keep")),
)


def protect(
    method: str,
    table: pd.DataFrame,
    columns: Columns,
    rng: np.random.Generator,
    rule: Rule,
    *,
    together: bool,
    output: str,
    orders: str,
    unordered: str,
    ids: str,
    others: str,
) -> TableResult:
    """Split the table by the rule and write every group's cells."""
    id, qid, sensitive = (
        only_column(columns, "id"),
        columns_of(columns, "qid"),
        columns_of(columns, "sensitive"),
    )
    units = coded_units(method, table, columns, together=together, orders=orders, unordered=unordered)
    forms = parsed_forms(output, {a.name: a.kind for a in units.attributes}, method)
    refuse_impossible(method, units, rule)
    split = partition(units, rule)
    figures = group_figures(units, split.group, split.n_groups)
    cells = {}
    for attribute in units.attributes:
        name = attribute.name
        by_group = generalised(table[name], attribute, forms[name], split.group, split.n_groups)
        cells[name] = by_group[split.group]
    released = _released(table, id, qid, sensitive, cells, split.group, ids, others, rng)
    ane = average_normalised_error(units.attributes, split.group, split.n_groups)
    return TableResult(released, _report(units, split, figures, ane, forms, table, released))


def coded_units(
    method: str, table: pd.DataFrame, columns: Columns, *, together: bool, orders: str, unordered: str
) -> Units:
    """The table as the tree reads it, by the columns' roles and the texts of the parameters."""
    id, qid, sensitive = (
        only_column(columns, "id"),
        columns_of(columns, "qid"),
        columns_of(columns, "sensitive"),
    )
    _check_roles(method, id, qid, sensitive)
    return code_table(
        table, id, qid, sensitive, together=together, orders=_parsed_orders(method, orders, qid),
        unordered=_names(method, "unordered", unordered, qid),
    )  # fmt: skip


def refuse_impossible(method: str, units: Units, rule: Rule) -> None:
    """Splitting never fixes a table that breaks the rule as a whole: some part still breaks it.

    For g this is its concavity, for h Lemma 1 of the paper, for k, K and l counting.
    """
    whole = group_figures(units, np.zeros(len(units.unit), dtype=np.int64), 1)
    g, h, records = float(whole.balance[0]), float(whole.affiliation[0]), len(units.unit)
    shown = max((int(np.bincount(codes).max()) for codes in units.sensitive), default=0)
    diversity = records / shown if shown else np.inf
    for name, asked, broken, has in (
        ("g", rule.g, g < rule.g - 1e-12, f"a g-balance of {g:.6g}"),
        ("h", rule.h, h > rule.h + 1e-12, f"an h-affiliation of {h:.6g}"),
        ("k", rule.k, records < rule.k, f"{records} records"),
        ("k", rule.people, units.n_people < rule.people, f"{units.n_people} people"),
        ("l", rule.diversity, diversity < rule.diversity - 1e-12, f"an l-diversity of {diversity:.6g}"),
    ):
        if broken:
            raise CannotProtect(
                f"{method} cannot keep {name} = {asked:g}: the whole table as one group has {has}, and "
                f"splitting never helps all parts. Choose a {'larger' if name == 'h' else 'smaller'} {name}."
            )


def _check_roles(method: str, id: str, qid: Sequence[str], sensitive: Sequence[str]) -> None:
    named = [id, *qid, *sensitive]
    twice = sorted({name for name in named if named.count(name) > 1})
    if twice:
        raise ParameterError(
            f"{method}: a column has one role only. Got {', '.join(twice)} more than once among id, "
            "quasi-identifiers and sensitive columns."
        )


def _names(method: str, parameter: str, text: str, qid: Sequence[str]) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in qid:
            raise ParameterError(
                f"The {parameter!r} parameter of {method} must name quasi-identifiers. Got {name!r} instead."
            )
    return names


def _parsed_orders(method: str, text: str, qid: Sequence[str]) -> dict[str, list[str]]:
    """``size:S<M<L;…`` as a mapping."""
    orders = {}
    for part in filter(None, text.split(";")):
        name, colon, values = part.partition(":")
        if not colon:
            raise ParameterError(
                f"The 'orders' parameter of {method} must be COLUMN:A<B<C;… Got {part!r} instead."
            )
        _names(method, "orders", name, qid)
        orders[name.strip()] = [value.strip() for value in values.split("<")]
    return orders


def _released(
    table: pd.DataFrame,
    id: str,
    qid: Sequence[str],
    sensitive: Sequence[str],
    cells: Mapping[str, Any],
    group: Integers,
    ids: str,
    others: str,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """The table with the groups' cells; by default under new ids, sorted by group, to reveal nothing."""
    wanted = [name for name in table.columns if others == "keep" or name in {id, *qid, *sensitive}]
    if GROUP_COLUMN in wanted:
        raise CannotProtect(
            f"The table already has a column {GROUP_COLUMN!r}, the name of ours. Rename it first."
        )
    released = table[wanted].reset_index(drop=True)
    for name, values in cells.items():
        released[name] = values
    released[GROUP_COLUMN] = group + 1
    if ids == "keep":
        return released
    codes, people = pd.factorize(table[id])
    names = fresh_names(len(people), "p", {str(person) for person in people}, rng)
    released[id] = names[codes]
    # Records of a person are put in random order too: the order of the original may be known.
    order = np.lexsort(
        (
            rng.permutation(len(table)),
            np.argsort(np.argsort(names, kind="stable"), kind="stable")[codes],
            group,
        )
    )
    return released.iloc[order].reset_index(drop=True)


def _report(
    units: Units,
    split: Partition,
    figures: GroupFigures,
    ane: float,
    forms: Mapping[str, str],
    table: pd.DataFrame,
    released: pd.DataFrame,
) -> dict[str, Any]:
    notes = [
        f"{a.name} has {len(a.labels)} categories: split in the order of their names"
        for a in units.attributes
        if a.many
    ]
    return summary(figures, ane) | {
        "records": len(units.unit),
        "people": units.n_people,
        "forms": dict(forms),
        "dropped_columns": [str(name) for name in table.columns if name not in released.columns],
        "notes": notes,
        "group_list": [figures.row(number) for number in range(min(split.n_groups, LIST_LIMIT))],
    }


def with_diversity(rule: Rule, diversity: float, sensitive: Sequence[str], method: str) -> Rule:
    """The rule with l-diversity, which needs something sensitive."""
    if diversity > 1 and not sensitive:
        raise ParameterError(f"The 'l' parameter of {method} needs a sensitive column. Got none.")
    return replace(rule, diversity=diversity)
