"""From coded units and a rule to groups: what the kernel needs, and the tree it grew in words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from anonymizers.engines.gh_tree.coding import Reals, Units
from anonymizers.engines.gh_tree.kernel import BALANCE_VARIANCE, NARROWING, WIDEST, grow
from datasets.tables import Integers

CRITERIA = {"balance-variance": BALANCE_VARIANCE, "widest": WIDEST, "narrowing": NARROWING}
MORTON_BITS = 60


@dataclass(frozen=True)
class Rule:
    """What every group must satisfy, and which split is tried first."""

    criterion: Literal["balance-variance", "widest", "narrowing"]
    g: float = 0.0
    """Least g-balance."""
    h: float = 1.0
    """Largest h-affiliation, for every sensitive column."""
    k: int = 1
    """Fewest records."""
    people: int = 1
    """Fewest people (units)."""
    diversity: float = 1.0
    """Least l: records per record with the commonest sensitive value, for every sensitive column."""

    @property
    def fewest_units(self) -> int:
        """No group can be smaller: 1/(1 − g) people by Theorem 1, 1/h since someone has some value."""
        by_balance = math.ceil(1 / (1 - self.g) - 1e-9) if self.g < 1 else 2**62
        return max(1, self.people, by_balance, math.ceil(1 / self.h - 1e-9) if self.h < 1 else 1)


@dataclass(frozen=True, eq=False)
class Node:
    """A stretch of ``Partition.members``; a leaf has no attribute."""

    lo: int
    hi: int
    attribute: int
    """Number of the quasi-identifier that splits it, −1 of a leaf."""
    category: int
    """Code of the category that goes left, −1 where the split is at a median."""
    left: int
    """Number of the left child; the right child is the next."""


@dataclass(frozen=True, eq=False)
class Partition:
    """``group[i]`` is the group of record i, numbered from 0 in the order of the leaves."""

    group: Integers
    n_groups: int
    members: Integers
    nodes: npt.NDArray[np.int64]
    number_of: tuple[int, ...]
    category_of: tuple[int, ...]

    def node(self, at: int) -> Node:
        lo, hi, column, where, left = (int(value) for value in self.nodes[at])
        if column < 0:
            return Node(lo, hi, -1, -1, -1)
        if column < len(self.number_of):
            return Node(lo, hi, self.number_of[column], -1, left)
        return Node(lo, hi, self.category_of[column - len(self.number_of)], where, left)


def partition(units: Units, rule: Rule) -> Partition:
    """Split the whole table as long as both sides satisfy the rule. The whole itself is not checked."""
    numbers, within, strict, number_of = number_columns(units)
    categories, sizes, category_of = category_columns(units)
    layout = near_together(numbers, categories)
    place = np.empty_like(layout)
    place[layout] = np.arange(units.n_units)
    pairs, n_values = _sensitive_pairs(units, place)
    orders = np.empty(numbers.shape, dtype=np.int32)
    for j, values in enumerate(numbers):
        # Of equal values those with fewest records come first: the cut can then come nearest to the median.
        even = units.weight.max() == units.weight.min()
        orders[j] = place[np.argsort(values, kind="stable") if even else np.lexsort((units.weight, values))]
    numbers, weight = numbers[:, layout], units.weight[layout].astype(np.int64)
    stretch = np.arange(units.n_units, dtype=np.int32)
    nodes = grow(
        orders,
        stretch,
        (numbers, within[:, layout] if within.size else within, strict, categories[:, layout], sizes, weight),
        pairs,
        n_values,
        (CRITERIA[rule.criterion], 1.0 - rule.g, rule.h, rule.k, rule.people, rule.diversity),
        min(rule.fewest_units, units.n_units),
    )
    members = layout[stretch]
    leaves = nodes[nodes[:, 2] < 0]
    leaves = leaves[np.argsort(leaves[:, 0], kind="stable")]
    of_unit = np.empty(units.n_units, dtype=np.int64)
    of_unit[members] = np.repeat(np.arange(len(leaves)), leaves[:, 1] - leaves[:, 0])
    return Partition(of_unit[units.unit], len(leaves), members, nodes, number_of, category_of)


def near_together(numbers: Reals, categories: npt.NDArray[np.int32]) -> Integers:
    """The units in Morton order: what will be in one node is close in memory, which halves the time."""
    rows = [(values * 1023).astype(np.int64) for values in numbers]
    rows += [codes.astype(np.int64) << 4 for codes in categories]
    code = np.zeros(numbers.shape[1], dtype=np.int64)
    for bit in range(9, 9 - min(10, MORTON_BITS // max(len(rows), 1)), -1):
        for values in rows:
            code = (code << 1) | ((values >> bit) & 1)
    return np.argsort(code, kind="stable")


def number_columns(units: Units) -> tuple[Reals, Reals, npt.NDArray[np.bool_], tuple[int, ...]]:
    """Means of the units, sums of squares within them (none where no unit varies), and which are strict."""
    chosen = [j for j, attribute in enumerate(units.attributes) if attribute.split_as_number]
    means = np.zeros((len(chosen), units.n_units))
    within = np.zeros((len(chosen), units.n_units))
    for row, j in enumerate(chosen):
        values = units.attributes[j].scaled()
        if units.n_units == len(values):
            means[row, units.unit] = values
            continue
        low, high = np.full(units.n_units, np.inf), np.full(units.n_units, -np.inf)
        np.minimum.at(low, units.unit, values)
        np.maximum.at(high, units.unit, values)
        # A mean of equal values must be that value, or a strict attribute could be cut inside a category.
        sums = np.bincount(units.unit, values, units.n_units) / units.weight
        means[row] = np.where(low == high, low, sums)
        within[row] = np.bincount(units.unit, (values - means[row][units.unit]) ** 2, units.n_units)
    strict = np.array([units.attributes[j].strict for j in chosen], dtype=np.bool_)
    return means, within if within.any() else within[:, :0], strict, tuple(chosen)


def category_columns(units: Units) -> tuple[npt.NDArray[np.int32], Integers, tuple[int, ...]]:
    """The commonest category of every unit, the first in order of equally common ones."""
    chosen = [j for j, attribute in enumerate(units.attributes) if not attribute.split_as_number]
    codes = np.zeros((len(chosen), units.n_units), dtype=np.int32)
    sizes = np.array([len(units.attributes[j].labels) for j in chosen], dtype=np.int64)
    for row, j in enumerate(chosen):
        keys, times = np.unique(units.unit * sizes[row] + units.attributes[j].records, return_counts=True)
        unit, code = np.divmod(keys, sizes[row])
        best = np.lexsort((code, -times, unit))
        codes[row] = code[best][np.unique(unit[best], return_index=True)[1]]
    return codes, sizes, tuple(chosen)


def _sensitive_pairs(units: Units, place: Integers) -> tuple[tuple[Any, Any, Any], int]:
    """For every unit its different sensitive values, all columns in one numbering, and how often each."""
    unit, value, n_values = [np.empty(0, np.int64)], [np.empty(0, np.int64)], 0
    for codes in units.sensitive:
        unit.append(place[units.unit])
        value.append(codes + n_values)
        n_values += int(codes.max(initial=-1)) + 1
    keys = np.concatenate(unit) * max(n_values, 1) + np.concatenate(value)
    distinct, times = np.unique(keys, return_counts=True)
    of, what = np.divmod(distinct, max(n_values, 1))
    start = np.searchsorted(of, np.arange(units.n_units + 1))
    return (start.astype(np.int64), what.astype(np.int32), times.astype(np.int64)), n_values
