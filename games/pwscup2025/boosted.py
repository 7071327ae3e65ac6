"""Models of boosted trees as XGBoost saves them: reading one, and what it predicts."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from arithmetic import exp, log

from .features import features_of, several_valued
from .layout import Texts

Singles = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]
OBJECTIVE = "binary:logistic"
BOOSTER = "gbtree"
NO_CHILD = -1
MOST_DEPTH = 64
BASE_SCORE = re.compile(r"\[?([^\[\],]+)\]?")


class BadModel(ValueError):
    """A model that cannot be used. ``code`` says why, ``values`` fill its sentence."""

    def __init__(self, code: str, **values: int) -> None:
        self.code, self.values = code, values
        super().__init__(f"{code} {values}")


class Tree(NamedTuple):
    """The nodes of a tree. A node without a left child is a leaf, and its value is its condition."""

    left: Indices
    right: Indices
    feature: Indices
    condition: Singles
    default_left: npt.NDArray[np.bool_]

    @property
    def depth(self) -> int:
        """How many steps lead to the deepest leaf; raises `BadModel` where nodes are not a tree."""
        n_nodes, seen = len(self.left), 0
        level = np.zeros(1, dtype=np.int64)
        for depth in range(MOST_DEPTH):
            seen += len(level)
            inner = level[self.left[level] != NO_CHILD]
            if not len(inner):
                return depth
            level = np.concatenate([self.left[inner], self.right[inner]])
            if seen + len(level) > n_nodes or level.min() < 0 or level.max() >= n_nodes:
                break
        raise BadModel("model-trees")


class Model(NamedTuple):
    """A checked model."""

    features: tuple[str, ...]
    target: str
    base_score: float
    trees: tuple[Tree, ...]


class Limits(NamedTuple):
    """What a round allows."""

    newest: tuple[int, ...] = (3, 0, 5)
    most_trees: int = 2000
    most_nodes: int = 500_000


def version_of(text: str) -> tuple[int, ...]:
    """
    >>> version_of("3.0.5")
    (3, 0, 5)
    """
    return tuple(int(part) for part in re.findall("[0-9]{1,6}", text))


USUAL = Limits()


def read_model(content: bytes, limits: Limits = USUAL) -> Model:
    """Read a model, or raise `BadModel`."""
    try:
        document = json.loads(content.decode("utf-8-sig"), parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise BadModel("model-json") from None
    if not isinstance(document, dict):
        raise BadModel("model-json")
    _check_version(document.get("version"), limits)
    learner = _mapping(document, "learner")
    names, target = _attributes(document, learner)
    if _mapping(learner, "objective").get("name") != OBJECTIVE:
        raise BadModel("model-objective")
    booster = _mapping(learner, "gradient_booster")
    if booster.get("name", BOOSTER) != BOOSTER:
        raise BadModel("model-plain")
    base_score = _check_parameters(_mapping(learner, "learner_model_param"), len(names))
    stored = _mapping(booster, "model").get("trees")
    if not isinstance(stored, list) or not 1 <= len(stored) <= limits.most_trees:
        raise BadModel("model-size", trees=limits.most_trees, nodes=limits.most_nodes)
    trees = tuple(_tree(one, len(names)) for one in stored)
    if sum(len(tree.left) for tree in trees) > limits.most_nodes:
        raise BadModel("model-size", trees=limits.most_trees, nodes=limits.most_nodes)
    return Model(names, target, base_score, trees)


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON.")


def _mapping(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = data.get(key)
    if not isinstance(found, dict):
        raise BadModel("model-parts")
    return found


def _check_version(version: Any, limits: Limits) -> None:
    is_version = isinstance(version, list) and len(version) == 3
    if not is_version or not all(type(part) is int and part >= 0 for part in version):
        raise BadModel("model-version")
    if tuple(version) > limits.newest:
        raise BadModel("model-version")


def _attributes(document: Mapping[str, Any], learner: Mapping[str, Any]) -> tuple[tuple[str, ...], str]:
    """The names of the features and the target, from the top or from the learner's attributes."""
    inner = learner.get("attributes")
    given = {**(inner if isinstance(inner, dict) else {}), **document}
    try:
        names = json.loads(given["feature_names"])
    except (KeyError, TypeError, ValueError, RecursionError):
        raise BadModel("model-names") from None
    if not isinstance(names, list) or not names or not all(isinstance(name, str) and name for name in names):
        raise BadModel("model-names")
    if len(set(names)) < len(names) or learner.get("feature_names", names) not in (names, []):
        raise BadModel("model-names")
    version = given.get("xgboost_version") or given.get("sgboost_version")
    target = given.get("target")
    if not (isinstance(version, str) and version and isinstance(target, str) and target):
        raise BadModel("model-attributes")
    return tuple(names), target


def _check_parameters(given: Mapping[str, Any], n_features: int) -> float:
    """The score that the trees start from."""
    if _whole(given.get("num_feature")) != n_features:
        raise BadModel("model-features", n=n_features)
    if _whole(given.get("num_class", 0)) not in (0, 1) or _whole(given.get("num_target", 1)) != 1:
        raise BadModel("model-plain")
    match = BASE_SCORE.fullmatch(str(given.get("base_score", "0.5")))
    try:
        base_score = float(match[1]) if match else math.nan
    except ValueError:
        base_score = math.nan
    if not 0 < base_score < 1:
        raise BadModel("model-parts")
    return base_score


def _whole(value: Any) -> int | None:
    """A whole number, also where it is written as a text."""
    if isinstance(value, str) and re.fullmatch("[0-9]{1,9}", value):
        return int(value)
    return value if type(value) is int else None


def _tree(stored: Any, n_features: int) -> Tree:
    if not isinstance(stored, dict):
        raise BadModel("model-trees")
    if _is_special(stored):
        raise BadModel("model-plain")
    names = ("left_children", "right_children", "split_indices", "split_conditions", "default_left")
    columns = [stored.get(name) for name in names]
    if not all(isinstance(column, list) and column for column in columns):
        raise BadModel("model-trees")
    if len({len(column) for column in columns if column}) != 1:
        raise BadModel("model-trees")
    try:
        left, right, feature = (np.array(column, dtype=np.int64) for column in columns[:3])
        with np.errstate(over="ignore"):
            condition = np.array(columns[3], dtype=np.float64).astype(np.float32)
        default = np.array(columns[4], dtype=np.int64) != 0
    except (ValueError, TypeError, OverflowError):
        raise BadModel("model-trees") from None
    tree = Tree(left, right, feature, condition, default)
    inside = (tree.feature >= 0) & (tree.feature < n_features)
    if any(column.ndim != 1 for column in tree) or not inside.all() or not np.isfinite(condition).all():
        raise BadModel("model-trees")
    assert tree.depth < MOST_DEPTH
    return tree


def _is_special(stored: Mapping[str, Any]) -> bool:
    """Whether a tree splits by sets of categories, or has more than a number in its leaves."""
    kinds, parameters = stored.get("split_type"), stored.get("tree_param")
    by_sets = any(kinds) if isinstance(kinds, list) else kinds is not None
    size = parameters.get("size_leaf_vector", 0) if isinstance(parameters, dict) else 0
    return by_sets or bool(stored.get("categories")) or _whole(size) not in (0, 1)


def model_rows(model: Model, table: Texts) -> Singles:
    """The features of a model for the rows of a table; one that is constant or not there is 0."""
    return aligned(model.features, table, model.target)


def aligned(names: Sequence[str], table: Texts, target: str) -> Singles:
    there = several_valued(features_of(table, target))
    rows = np.zeros((len(table[target]), len(names)), dtype=np.float32)
    for place, name in enumerate(names):
        if name in there:
            rows[:, place] = there[name]
    return rows


def margins(model: Model, rows: Singles) -> Singles:
    """The sums of the leaves that the rows fall into, added in single precision, tree by tree."""
    start = -float(log(1 / model.base_score - 1))
    total = np.full(len(rows), np.float32(start), dtype=np.float32)
    for value in _leaf_values(model, rows):
        total += value
    return total


def _leaf_values(model: Model, rows: Singles) -> Iterator[Singles]:
    everybody = np.arange(len(rows))
    for tree in model.trees:
        node = np.zeros(len(rows), dtype=np.int64)
        for _ in range(tree.depth):
            value = rows[everybody, tree.feature[node]]
            goes_left = np.where(np.isnan(value), tree.default_left[node], value < tree.condition[node])
            below = np.where(goes_left, tree.left[node], tree.right[node])
            node = np.where(tree.left[node] == NO_CHILD, node, below)
        yield tree.condition[node]


def probabilities(model: Model, rows: Singles) -> Singles:
    """1 / (1 + e^−margin), in single precision."""
    found: Singles = (1 / (1 + exp(-margins(model, rows).astype(np.float64)))).astype(np.float32)
    return found
