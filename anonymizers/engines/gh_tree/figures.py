"""Risk and loss of a partition, by group and in sum; the same figures that the risk measures give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anonymizers.engines.gh_tree.coding import Attribute, Reals, Units
from datasets.tables import Integers


@dataclass(frozen=True, eq=False)
class GroupFigures:
    """One entry per group. ``affiliation`` is h, which is also GSAR; ``exposure`` is GIDR."""

    people: Integers
    records: Integers
    balance: Reals
    exposure: Reals
    affiliation: Reals

    def row(self, group: int) -> dict[str, Any]:
        return {
            "group": group + 1,
            "people": int(self.people[group]),
            "records": int(self.records[group]),
            "g": float(self.balance[group]),
            "h": float(self.affiliation[group]),
            "GIDR": float(self.exposure[group]),
        }


def group_figures(units: Units, group: Integers, n_groups: int) -> GroupFigures:
    """People, records, g (1), h (5) and GIDR of every group; h is 0 where nothing is sensitive."""
    pairs, counts = np.unique(group * units.n_people + units.person, return_counts=True)
    of = pairs // units.n_people
    people, records = np.bincount(of, minlength=n_groups), np.bincount(group, minlength=n_groups)
    squares, most = np.zeros(n_groups, dtype=np.int64), np.zeros(n_groups, dtype=np.int64)
    np.add.at(squares, of, counts * counts)
    np.maximum.at(most, of, counts)
    affiliation = np.zeros(n_groups)
    person_in_group = np.searchsorted(pairs, group * units.n_people + units.person)
    for codes in units.sensitive:
        n_values = int(codes.max(initial=0)) + 1
        having = np.unique(person_in_group * n_values + codes)
        in_group = of[having // n_values]
        values, shared = np.unique(in_group * n_values + having % n_values, return_counts=True)
        commonest = np.zeros(n_groups, dtype=np.int64)
        np.maximum.at(commonest, values // n_values, shared)
        affiliation = np.maximum(affiliation, commonest / people)
    balance = 1.0 - squares / (records * records)
    return GroupFigures(people, records, balance, most / records, affiliation)


def average_normalised_error(attributes: Sequence[Attribute], group: Integers, n_groups: int) -> float:
    """ANE: mean over attributes and records of |x − mean of its group|, x scaled to 0…1.

    An unordered attribute counts as the mean of its categories' 0/1 attributes, two categories as 0 and 1. In
    a group of m records, q of them in a category, the 0/1 attribute adds 2q(m − q)/m.
    """
    records = np.bincount(group, minlength=n_groups)
    errors = []
    for attribute in attributes:
        if attribute.kind != "unordered":
            values = attribute.scaled()
            mean = np.bincount(group, values, n_groups) / records
            errors.append(float(np.abs(values - mean[group]).mean()))
            continue
        size = len(attribute.labels)
        pairs, held = np.unique(group * size + attribute.records, return_counts=True)
        total = float((2 * held * (1 - held / records[pairs // size])).sum())
        errors.append(total / len(group) / max(size, 1))
    return float(np.mean(errors)) if errors else 0.0


def summary(figures: GroupFigures, ane: float) -> dict[str, Any]:
    """The figures that a person asks for first, under the names of the paper; None where there are none."""
    secrets = figures.affiliation if figures.affiliation.any() else None
    return {
        "groups": len(figures.people),
        "MaxGIDR": float(figures.exposure.max()),
        "AvgGIDR": float(figures.exposure.mean()),
        "MaxGSAR": None if secrets is None else float(secrets.max()),
        "AvgGSAR": None if secrets is None else float(secrets.mean()),
        "ANE": ane,
        "fewest_records": int(figures.records.min()),
        "fewest_people": int(figures.people.min()),
        "least_g": float(figures.balance.min()),
    }
