"""One cell for a whole group: a range, a mean, a set of values or the commonest one, chosen by column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from anonymizers.anonymizer import ParameterError
from anonymizers.engines.gh_tree.coding import Attribute
from datasets.tables import Integers

FORMS = {
    "number": ("range", "mean", "set", "mode"),
    "ordered": ("range", "set", "mode"),
    "unordered": ("set", "mode"),
}
"""Kind of an attribute → the forms that make sense for it, the default first."""


def parsed_forms(text: str, kinds: Mapping[str, str], method: str) -> dict[str, str]:
    """The form of every column, from ``age=mean,zip=range`` or one word for all columns it fits.

    >>> parsed_forms("age=mean", {"age": "number", "gender": "unordered"}, "gh-tree")
    {'age': 'mean', 'gender': 'set'}
    >>> parsed_forms("mode", {"age": "number", "gender": "unordered"}, "gh-tree")
    {'age': 'mode', 'gender': 'mode'}
    """
    forms = {name: FORMS[kind][0] for name, kind in kinds.items()}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, form = part.partition("=")
        if not equals:
            known = {form for several in FORMS.values() for form in several}
            if name not in known:
                raise _bad(method, f"one of {', '.join(sorted(known))}, or COLUMN=FORM,…", part)
            forms = {column: name if name in FORMS[kinds[column]] else forms[column] for column in forms}
        elif name not in forms:
            raise _bad(method, f"about the columns {', '.join(forms)}", part)
        elif form not in FORMS[kinds[name]]:
            raise _bad(method, f"{name}={'|'.join(FORMS[kinds[name]])}", part)
        else:
            forms[name] = form
    return forms


def _bad(method: str, expected: str, got: str) -> ParameterError:
    return ParameterError(f"The 'output' parameter of {method} must be {expected}. Got {got!r} instead.")


def generalised(
    column: pd.Series, attribute: Attribute, form: str, group: Integers, n_groups: int
) -> npt.NDArray[Any]:
    """The cells of every group, one each, in the order of the groups."""
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(n_groups))
    if form == "mean":
        return np.bincount(group, column.to_numpy(dtype=np.float64), n_groups) / np.bincount(group)
    codes, labels = _codes(column, attribute)
    if form == "mode":
        return labels[_commonest(codes, group, len(labels))]
    if form == "set":
        return _sets(codes, labels, group, n_groups)
    low = labels[np.minimum.reduceat(codes[order], starts)]
    high = labels[np.maximum.reduceat(codes[order], starts)]
    cells = [f"{a}" if a == b else f"[{a};{b}]" for a, b in zip(low.tolist(), high.tolist(), strict=True)]
    return np.array(cells, dtype=object)


def _codes(column: pd.Series, attribute: Attribute) -> tuple[Integers, npt.NDArray[Any]]:
    """The records' values as numbers of an ordered list of values."""
    if len(attribute.labels):
        return attribute.records.astype(np.int64), attribute.labels
    codes, labels = pd.factorize(column, sort=True)
    return np.asarray(codes, dtype=np.int64), np.asarray(labels)


def _commonest(codes: Integers, group: Integers, n_labels: int) -> Integers:
    pairs, held = np.unique(group * n_labels + codes, return_counts=True)
    of, code = np.divmod(pairs, n_labels)
    best = np.lexsort((code, -held, of))
    return code[best][np.unique(of[best], return_index=True)[1]]


def _sets(
    codes: Integers, labels: npt.NDArray[Any], group: Integers, n_groups: int
) -> npt.NDArray[np.object_]:
    """``{a;b}``, the value alone where there is one, ``*`` where the group holds every value of the table."""
    of, code = np.divmod(np.unique(group * len(labels) + codes), len(labels))
    texts = np.array([str(label) for label in labels.tolist()], dtype=object)[code]
    cells = np.empty(n_groups, dtype=object)
    ends = np.searchsorted(of, np.arange(n_groups + 1))
    for number in range(n_groups):
        values = texts[ends[number] : ends[number + 1]]
        if len(values) == 1:
            cells[number] = values[0]
        else:
            cells[number] = "*" if len(values) == len(labels) else "{" + ";".join(values) + "}"
    return cells
