"""The house's methods: tables made from a team's own, for entries of the house and to start from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from arithmetic import cholesky, correlations, product

from .generator import Table, rows_of
from .layout import CATEGORIES, COLUMNS, FLAGS, MEANS, RANGES, WHOLE, Floats, Lines, Texts, texts_of

FLIPPED = {"asthma_flag": 0.14, "stroke_flag": 0.15, "obesity_flag": 0.16, "depression_flag": 0.17}
REPLACED = {"GENDER": 0.11, "RACE": 0.12, "ETHNICITY": 0.13}
SHIFTED = {
    "AGE": 2, "encounter_count": 10, "num_procedures": 10, "num_medications": 5, "num_immunizations": 3,
    "num_allergies": 2, "num_devices": 5, "mean_systolic_bp": 1000, "mean_diastolic_bp": 800,
    "mean_weight": 300, "mean_bmi": 600,
}  # fmt: skip
"""The organisers' sample: noise up to so much either way, means in hundredths."""
RIDGE = 1e-6
Method = Callable[[Table, Mapping[str, Any], np.random.Generator], Table]


def table_of(texts: Texts) -> Table:
    """Whole numbers, hundredths and texts."""
    table: Table = {}
    for name in COLUMNS:
        if name in WHOLE:
            table[name] = np.array([int(cell) for cell in texts[name]], dtype=np.int64)
        elif name in MEANS:
            table[name] = np.array([round(100 * float(cell)) for cell in texts[name]], dtype=np.int64)
        else:
            table[name] = np.array(texts[name], dtype=object)
    return table


def unchanged(table: Table, params: Mapping[str, Any], rng: np.random.Generator) -> Table:
    return table


def swap(table: Table, params: Mapping[str, Any], rng: np.random.Generator) -> Table:
    """Permute a share of the cells of every column among themselves."""
    return {name: _swapped(column, params["share"], rng) for name, column in table.items()}


def noise(table: Table, params: Mapping[str, Any], rng: np.random.Generator) -> Table:
    """The organisers' sample: flip flags, replace categories, add uniform noise, shuffle the rows."""
    size, n = params["size"], len(table["AGE"])
    made = {}
    for name, column in table.items():
        if name in FLAGS:
            made[name] = np.where(rng.random(n) < size * FLIPPED[name], 1 - column, column)
        elif name in CATEGORIES:
            made[name] = _replaced(column, CATEGORIES[name], size * REPLACED[name], rng)
        else:
            width = round(size * SHIFTED[name])
            low, high = RANGES["final"]["AGE"] if name == "AGE" else (column.min(), column.max())
            made[name] = np.clip(column + rng.integers(-width, width + 1, n), int(low), int(high))
    order = rng.permutation(n)
    return {name: column[order] for name, column in made.items()}


def independent(table: Table, params: Mapping[str, Any], rng: np.random.Generator) -> Table:
    """Draw every column by itself: its values in an order of their own."""
    return {name: rng.permutation(column) for name, column in table.items()}


def copula(table: Table, params: Mapping[str, Any], rng: np.random.Generator) -> Table:
    """New rows whose ranks are correlated as those of the table: a Gaussian copula with the same margins."""
    from scipy.special import ndtri

    n = len(table["AGE"])
    ordered = {name: np.argsort(_codes(column), kind="stable") for name, column in table.items()}
    scores = np.column_stack([_ranks(_codes(column), rng) for column in table.values()])
    moments = correlations(ndtri((scores + 0.5) / n))
    lower = cholesky((1 - RIDGE) * moments + RIDGE * np.eye(len(table)))
    drawn = product(rng.standard_normal((n, len(table))), np.ascontiguousarray(lower.T))
    made = {}
    for place, (name, column) in enumerate(table.items()):
        rank = np.empty(n, dtype=np.int64)
        rank[np.argsort(drawn[:, place], kind="stable")] = np.arange(n)
        made[name] = column[ordered[name]][rank]
    return made


def _codes(column: np.ndarray) -> np.ndarray:
    return np.unique(column, return_inverse=True)[1]


def _ranks(codes: np.ndarray, rng: np.random.Generator) -> Floats:
    """Ranks from 0; equal values in an order that is drawn."""
    ranks = np.empty(len(codes))
    ranks[np.lexsort((rng.permutation(len(codes)), codes))] = np.arange(len(codes))
    return ranks


def _swapped(column: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    chosen = np.flatnonzero(rng.random(len(column)) < share)
    swapped = column.copy()
    swapped[chosen] = column[rng.permutation(chosen)]
    return swapped


def _replaced(
    column: np.ndarray, values: tuple[str, ...], chance: float, rng: np.random.Generator
) -> np.ndarray:
    """Another value of the list, each with the same chance."""
    place = np.array([values.index(value) for value in column])
    other = (place + rng.integers(1, len(values), len(column))) % len(values)
    chosen = rng.random(len(column)) < chance
    return np.array(values, dtype=object)[np.where(chosen, other, place)]


METHODS: Mapping[str, Method] = {
    "unchanged": unchanged,
    "swap": swap,
    "noise": noise,
    "independent": independent,
    "copula": copula,
}


def released(name: str, lines: Lines, params: Mapping[str, Any], rng: np.random.Generator) -> Lines:
    """The rows that a method makes of a table; unchanged ones keep every character."""
    if name == "unchanged":
        return lines
    made = METHODS[name](table_of(texts_of(lines)), params, rng)
    return Lines(lines.header, rows_of(made))
