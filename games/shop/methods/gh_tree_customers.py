"""`gh-tree` on M and T: customers of a group show the same birthday, gender and country."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from anonymizers.anonymizer import Parameter
from anonymizers.engines.gh_tree.coding import Units, attribute_of
from anonymizers.engines.gh_tree.figures import average_normalised_error, group_figures, summary
from anonymizers.engines.gh_tree.generalise import generalised
from anonymizers.engines.gh_tree.partition import Rule, partition
from anonymizers.engines.gh_tree.release import LIST_LIMIT, refuse_impossible
from datasets.tables import Coded, Integers, date_text, day_number
from games.shop.data.tables import Master, PurchaseData
from games.shop.methods.anonymizer import Anonymized, Anonymizer
from games.shop.methods.release import publish

LONGEST_CELL = 1000
"""What the file rules allow a generalised cell; a longer set of countries is suppressed."""


def gh_tree_customers(
    original: PurchaseData,
    limits: Mapping[str, float],
    rng: np.random.Generator,
    *,
    g: float,
    h: float,
    cells: str,
) -> Anonymized:
    """Group the customers by birthday, gender and country so that every group satisfies g* and h*.

    Rows of T are the records, the items bought are the sensitive values, and birthday (a number of days),
    gender and country (unordered) the quasi-identifiers. A set t of customers with c_i rows each is split at
    the median of the attribute with the least Δg/v, as long as both parts have

        g(t) = 1 − Σ_i (c_i / Σ c)² ≥ g*,   h(t) = max_j n_j / n_t ≤ h*

    with n_t customers in t, n_j of whom bought item j.

    All customers of a group then show the group's middle birthday, commonest gender and commonest country
    (``cells=representative``, legal in every round), or a range of birthdays and sets of genders and
    countries (``cells=generalised``, for rounds that allow them). T is not changed, so an attack that looks
    at purchases is not hindered: combine it with a method that hides those. A customer without rows counts
    as one record.
    """
    units = _units(original)
    rule = Rule("balance-variance", g=g, h=h)
    refuse_impossible("gh-tree", units, rule)
    split = partition(units, rule)
    figures = group_figures(units, split.group, split.n_groups)
    group = np.empty(original.n_customers, dtype=np.int64)
    group[units.unit] = split.group
    write = _generalised if cells == "generalised" else _representative
    draft = replace(original, master=write(original.master, group, split.n_groups))
    ane = average_normalised_error(units.attributes, split.group, split.n_groups)
    report = {"changed": f"birthday, gender and country of {split.n_groups} groups of customers"}
    lines = [figures.row(number) for number in range(min(split.n_groups, LIST_LIMIT))]
    return Anonymized(publish(draft, rng), report | summary(figures, ane) | {"group_list": lines})


def _frame(master: Master) -> pd.DataFrame:
    days = np.array([day_number(text) for text in master.birthday.labels], dtype=np.int64)
    return pd.DataFrame(
        {
            "birthday": days[master.birthday.codes],
            "gender": master.gender.texts(),
            "country": master.country.texts(),
        }
    )


def _units(original: PurchaseData) -> Units:
    """One unit per customer; one who bought nothing has a single record with a value that nobody shares."""
    n, rows = original.n_customers, original.transactions
    without = np.setdiff1d(np.arange(n), rows.customer)
    unit = np.concatenate([rows.customer.astype(np.int64), without])
    value = np.concatenate([rows.item.codes.astype(np.int64), rows.item.n_labels + np.arange(len(without))])
    people = _frame(original.master)
    attributes = tuple(attribute_of(people[name].iloc[unit], {}, False) for name in people.columns)
    return Units(unit, unit, n, np.bincount(unit, minlength=n), attributes, (value,))


def _representative(master: Master, group: Integers, n_groups: int) -> Master:
    people = _frame(master)
    order = np.lexsort((people["birthday"], group))
    start = np.searchsorted(group[order], np.arange(n_groups + 1))
    # The earlier of two middle birthdays: a birthday that somebody has, so the cell is in M's domain.
    middle = people["birthday"].to_numpy()[order[(start[:-1] + start[1:] - 1) // 2]]
    columns = {"birthday": np.array([date_text(day) for day in middle.tolist()], dtype=object)}
    for name in ("gender", "country"):
        attribute = attribute_of(people[name], {}, False)
        columns[name] = generalised(people[name], attribute, "mode", group, n_groups)
    return _with_cells(master, columns, group)


def _generalised(master: Master, group: Integers, n_groups: int) -> Master:
    people = _frame(master)
    days = people["birthday"].groupby(group).agg(["min", "max"])
    spans = zip(days["min"].map(date_text), days["max"].map(date_text), strict=True)
    columns = {"birthday": np.array([a if a == b else f"[{a};{b}]" for a, b in spans], dtype=object)}
    for name in ("gender", "country"):
        attribute = attribute_of(people[name], {}, False)
        sets = generalised(people[name], attribute, "set", group, n_groups)
        columns[name] = np.array([text if len(text) <= LONGEST_CELL else "*" for text in sets], dtype=object)
    return _with_cells(master, columns, group)


def _with_cells(master: Master, cells: Mapping[str, npt.NDArray[Any]], group: Integers) -> Master:
    gender, birthday, country = (
        Coded.from_texts(cells[name][group]) for name in ("gender", "birthday", "country")
    )
    return Master(master.ids, gender, birthday, country)


GH_TREE_CUSTOMERS = Anonymizer(
    name="gh-tree",
    title="g-balance and h-affiliation tree",
    meaning="Groups of customers show one birthday, gender and country; nobody stands out in a group.",
    function=gh_tree_customers,
    reference="Kartal, Li, Protecting Privacy … with Multiple Records per Person (JAIS 2020), Table 5",
    version=1,
    parameters=(
        Parameter("g", "float", 0.75, "Least g-balance of a group: 1 − 1/k of even customers.", 0, 0.999999),
        Parameter(
            "h", "float", 1.0, "Largest share of a group's customers who bought one item.", 0.000001, 1
        ),
        Parameter(
            "cells",
            "choice",
            "representative",
            "One value for a group, or ranges and sets where the round allows them.",
            choices=("representative", "generalised"),
        ),
    ),
    picture="contest/methods/_gh-tree.html",
)
