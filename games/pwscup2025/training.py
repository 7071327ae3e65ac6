"""A small trainer of boosted trees that writes models as XGBoost does, for the entries of the house."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arithmetic import exp, log

from .boosted import BOOSTER, NO_CHILD, OBJECTIVE, Singles, aligned
from .features import features_of, several_valued
from .layout import Floats, Integers, Texts, numbers_of

ROUNDS = 60
DEPTH = 5
RATE = 0.2
RIDGE = 1.0
LEAST_HESSIAN = 1.0
LEAST_GAIN = 1e-9
CUTS = 64
"""Places at which a feature may be split."""
ROOT_PARENT = 2147483647
VERSION = (2, 0, 3)
"""Of the format that is written."""


class Binned(NamedTuple):
    """The rows of a table as numbers of bins: bin b of a feature is below its cut b."""

    bins: Integers
    cuts: list[Singles]


class Slopes(NamedTuple):
    """First and second derivatives of the loss at each row."""

    gradient: Floats
    hessian: Floats


class Node:
    """A node of a growing tree, with its rows."""

    def __init__(self, rows: Integers, slopes: Slopes, parent: int) -> None:
        self.rows, self.parent = rows, parent
        self.gradient, self.hessian = float(slopes.gradient[rows].sum()), float(slopes.hessian[rows].sum())
        self.children, self.feature, self.cut, self.gain = (NO_CHILD, NO_CHILD), 0, 0.0, 0.0

    @property
    def value(self) -> float:
        return float(np.float32(-RATE * self.gradient / (self.hessian + RIDGE)))


def trained(table: Texts, target: str, rounds: int = ROUNDS) -> bytes:
    """A model of the target by all other columns: log-loss, trees grown level by level, no randomness."""
    names = list(several_valued(features_of(table, target)))
    rows = aligned(names, table, target)
    labels = (numbers_of(table[target]) == 1).astype(np.float64)
    share = float(np.float32(min(0.99, max(0.01, labels.mean()))))
    binned = _binned(rows)
    line = np.full(len(rows), -float(log(1 / share - 1)))
    trees = []
    for _ in range(rounds):
        chance = 1 / (1 + exp(-line))
        nodes = _grown(binned, Slopes(chance - labels, chance * (1 - chance)))
        for node in nodes:
            if node.children[0] == NO_CHILD:
                line[node.rows] += node.value
        trees.append(nodes)
    return _written(names, target, share, trees)


def _binned(rows: Singles) -> Binned:
    bins, cuts = np.zeros(rows.shape, dtype=np.int64), []
    for column in range(rows.shape[1]):
        there = np.sort(rows[:, column][~np.isnan(rows[:, column])])
        evenly = there[np.arange(1, CUTS + 1) * len(there) // (CUTS + 1)]
        cuts.append(np.unique(evenly[evenly > there[0]]))
        # A missing number falls into the first bin, as trees send it to the left.
        filled = np.nan_to_num(rows[:, column], nan=-np.inf)
        bins[:, column] = np.searchsorted(cuts[-1], filled, side="right")
    return Binned(bins, cuts)


def _grown(binned: Binned, slopes: Slopes) -> list[Node]:
    nodes = [Node(np.arange(len(binned.bins)), slopes, ROOT_PARENT)]
    level = [0]
    for _ in range(DEPTH):
        below = []
        for place in level:
            goes_left = _split(nodes[place], binned, slopes)
            if goes_left is None:
                continue
            for rows in (nodes[place].rows[goes_left], nodes[place].rows[~goes_left]):
                below.append(len(nodes))
                nodes.append(Node(rows, slopes, place))
            nodes[place].children = (below[-2], below[-1])
        level = below
    return nodes


def _split(node: Node, binned: Binned, slopes: Slopes) -> npt.NDArray[np.bool_] | None:
    """Note the best split of a node, the first of equal ones; None where there is none."""
    best_bin = -1
    own = node.gradient**2 / (node.hessian + RIDGE)
    for feature, cuts in enumerate(binned.cuts):
        bins = binned.bins[node.rows, feature]
        sums = [np.cumsum(np.bincount(bins, part[node.rows], len(cuts) + 1))[:-1] for part in slopes]
        left_g, left_h = sums
        right_g, right_h = node.gradient - left_g, node.hessian - left_h
        gains = left_g**2 / (left_h + RIDGE) + right_g**2 / (right_h + RIDGE) - own
        gains = np.where((left_h >= LEAST_HESSIAN) & (right_h >= LEAST_HESSIAN), gains, 0.0)
        place = int(gains.argmax()) if len(gains) else 0
        if len(gains) and gains[place] > node.gain + LEAST_GAIN:
            node.gain, node.feature, node.cut = float(gains[place]), feature, float(cuts[place])
            best_bin = place
    if best_bin < 0:
        return None
    return binned.bins[node.rows, node.feature] <= best_bin


def _written(names: list[str], target: str, share: float, trees: list[list[Node]]) -> bytes:
    attributes = {"feature_names": json.dumps(names), "target": target, "xgboost_version": "2.0.3"}
    model = {
        "gbtree_model_param": {"num_parallel_tree": "1", "num_trees": str(len(trees))},
        "iteration_indptr": list(range(len(trees) + 1)),
        "tree_info": [0] * len(trees),
        "trees": [_tree(nodes, number, len(names)) for number, nodes in enumerate(trees)],
    }
    parameters = {
        "base_score": repr(share), "boost_from_average": "1", "num_class": "0",
        "num_feature": str(len(names)), "num_target": "1",
    }  # fmt: skip
    learner = {
        "attributes": attributes,
        "feature_names": names,
        "feature_types": ["float"] * len(names),
        "gradient_booster": {"model": model, "name": BOOSTER},
        "learner_model_param": parameters,
        "objective": {"name": OBJECTIVE, "reg_loss_param": {"scale_pos_weight": "1"}},
    }
    return json.dumps({"learner": learner, "version": list(VERSION)}, separators=(",", ":")).encode() + b"\n"


def _tree(nodes: list[Node], number: int, n_features: int) -> dict[str, Any]:
    inner = [node.children[0] != NO_CHILD for node in nodes]
    return {
        "base_weights": [node.value for node in nodes],
        "categories": [], "categories_nodes": [], "categories_segments": [], "categories_sizes": [],
        "default_left": [int(one) for one in inner],
        "id": number,
        "left_children": [node.children[0] for node in nodes],
        "loss_changes": [round(node.gain, 6) for node in nodes],
        "parents": [node.parent for node in nodes],
        "right_children": [node.children[1] for node in nodes],
        "split_conditions": [node.cut if one else node.value for node, one in zip(nodes, inner, strict=True)],
        "split_indices": [node.feature for node in nodes],
        "split_type": [0] * len(nodes),
        "sum_hessian": [round(node.hessian, 6) for node in nodes],
        "tree_param": {"num_deleted": "0", "num_feature": str(n_features), "num_nodes": str(len(nodes)),
                       "size_leaf_vector": "1"},
    }  # fmt: skip
