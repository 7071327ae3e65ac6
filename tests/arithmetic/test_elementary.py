"""Exponentials, logarithms, powers and angles against the C library, which errs by less than one unit."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import arithmetic

RNG = np.random.default_rng(1)
WIDE, NEAR = RNG.uniform(-700, 709, 20_000), RNG.uniform(-1, 1, 20_000)
POSITIVE = np.array([math.exp(x) for x in WIDE])


@pytest.mark.parametrize(
    ("ours", "theirs", "values"),
    [
        (arithmetic.exp, math.exp, WIDE),
        (arithmetic.exp, math.exp, NEAR),
        (arithmetic.log, math.log, POSITIVE),
        (arithmetic.log, math.log, 1 + NEAR / 1000),
        (arithmetic.log2, math.log2, POSITIVE),
        (arithmetic.log1p, math.log1p, 0.9 * NEAR),
        (arithmetic.log1p, math.log1p, NEAR / 1e9),
        (arithmetic.expm1, math.expm1, 5 * NEAR),
        (arithmetic.expm1, math.expm1, NEAR / 1e9),
        (arithmetic.sine, math.sin, NEAR * math.pi / 4),
        (arithmetic.arctan, math.atan, 2 * NEAR),
        (arithmetic.arctan, math.atan, NEAR / 1e9),
        (arithmetic.arctan, math.atan, POSITIVE),
    ],
)
def test_within_four_units_in_the_last_place(
    ours: Callable[[np.ndarray], np.ndarray], theirs: Callable[[float], float], values: np.ndarray
) -> None:
    expected = np.array([theirs(value) for value in values])
    assert (np.abs(ours(values) - expected) <= 4 * np.spacing(np.abs(expected))).all()


def test_the_edges_of_double_precision() -> None:
    edges = np.array([np.inf, -np.inf, 710.0, -746.0, -745.1, 0.0])
    assert arithmetic.exp(edges).tolist() == [np.inf, 0.0, np.inf, 0.0, 5e-324, 1.0]
    assert arithmetic.log(np.array([0.0, np.inf, 1.0, 5e-324])).tolist() == [
        -np.inf,
        np.inf,
        0.0,
        math.log(5e-324),
    ]
    for function in (arithmetic.exp, arithmetic.log, arithmetic.log1p):
        assert np.isnan(function(np.nan))
    assert np.isnan(arithmetic.log(-1.0))


def test_powers_of_two_have_whole_logarithms() -> None:
    exponents = np.arange(-1074, 1024)
    assert arithmetic.log2(np.ldexp(1.0, exponents)).tolist() == exponents.tolist()


def test_shapes_and_whole_numbers_are_kept() -> None:
    assert arithmetic.exp(np.zeros((2, 3), dtype=np.int64)).tolist() == [[1.0] * 3] * 2
    assert arithmetic.log(np.ones((3, 2)).T).shape == (2, 3)
    assert arithmetic.exp(0) == 1.0 and isinstance(arithmetic.exp(0), float)
    np.testing.assert_allclose(arithmetic.power([2.0, 10.0], [0.5, -3.0]), [math.sqrt(2), 1e-3], rtol=1e-14)
