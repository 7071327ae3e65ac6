"""The tree in words: g and h of every node, what each split would cost, which was taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anonymizers.engines.gh_tree.coding import Units
from anonymizers.engines.gh_tree.figures import group_figures
from anonymizers.engines.gh_tree.kernel import balance_change, median_cut, spread
from anonymizers.engines.gh_tree.partition import Partition, category_columns, number_columns
from datasets.tables import Integers


@dataclass(frozen=True)
class Split:
    """A candidate split of a node: Δg (4), variance and their ratio r (7); who would go left."""

    attribute: str
    category: Any
    """The category that goes left, None where the split is at the median."""
    change: float
    variance: float
    left: tuple[int, ...]
    """Numbers of the units on the left, ascending."""

    @property
    def ratio(self) -> float:
        return self.change / self.variance


@dataclass(frozen=True)
class NodeStory:
    """A node of the tree. ``left`` and ``right`` are numbers of stories, −1 of a leaf."""

    units: tuple[int, ...]
    balance: float
    affiliation: float
    taken: str
    """The attribute that splits it, empty of a leaf."""
    category: Any
    """The category that goes left, None where the split is at the median."""
    left: int
    right: int


def candidate_splits(units: Units, members: Sequence[int]) -> list[Split]:
    """All splits that the tree would consider for a set of units, least ratio first."""
    chosen = np.asarray(sorted(members), dtype=np.int64)
    weight = units.weight
    total, squares = int(weight[chosen].sum()), int((weight[chosen] ** 2).sum())
    splits = _number_splits(units, chosen, total, squares) + _category_splits(units, chosen, total, squares)
    return sorted(splits, key=lambda split: split.ratio)


def _number_splits(units: Units, chosen: Integers, total: int, squares: int) -> list[Split]:
    means, within, strict, number_of = number_columns(units)
    splits = []
    for row, j in enumerate(number_of):
        order = chosen[np.lexsort((chosen, units.weight[chosen], means[row][chosen]))].astype(np.int32)
        cut, left, left_squares = median_cut(
            order, 0, len(order), means[row], strict[row], units.weight, total
        )
        variance = spread(order, 0, len(order), means[row], within[row], units.weight, total)
        if cut and means[row][order[0]] < means[row][order[-1]]:
            change = balance_change(total, squares, left, left_squares)
            side = tuple(sorted(order[:cut].tolist()))
            splits.append(Split(units.attributes[j].name, None, change, variance, side))
    return splits


def _category_splits(units: Units, chosen: Integers, total: int, squares: int) -> list[Split]:
    codes, _, category_of = category_columns(units)
    splits = []
    for row, j in enumerate(category_of):
        present = np.unique(codes[row][chosen]).tolist()
        # Of two categories, the second against the first is the same split.
        for code in present if len(present) > 2 else present[:1]:
            side = chosen[codes[row][chosen] == code]
            left = int(units.weight[side].sum())
            if left == total:
                continue
            change = balance_change(total, squares, left, int((units.weight[side] ** 2).sum()))
            share = left / total
            label = units.attributes[j].labels[code]
            splits.append(
                Split(units.attributes[j].name, label, change, share * (1 - share), tuple(side.tolist()))
            )
    return splits


def stories(units: Units, split: Partition, limit: int = 63) -> list[NodeStory]:
    """The first nodes of a tree, the root first; for people, so not more than they can read."""
    found = []
    for at in range(min(len(split.nodes), limit)):
        node = split.node(at)
        members = split.members[node.lo : node.hi]
        inside = np.isin(units.unit, members)
        part = Units(
            units.unit[inside], units.person[inside], units.n_people, units.weight, (),
            tuple(codes[inside] for codes in units.sensitive),
        )  # fmt: skip
        figures = group_figures(part, np.zeros(int(inside.sum()), dtype=np.int64), 1)
        taken = units.attributes[node.attribute].name if node.attribute >= 0 else ""
        category = units.attributes[node.attribute].labels[node.category] if node.category >= 0 else None
        found.append(
            NodeStory(
                tuple(sorted(members.tolist())),
                float(figures.balance[0]),
                float(figures.affiliation[0]),
                taken,
                category,
                node.left,
                node.left + 1 if node.left >= 0 else -1,
            )
        )
    return found
