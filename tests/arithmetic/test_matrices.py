"""Products, equations, eigenvalues and ranks against NumPy; a search for a known minimum."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import rosen, rosen_der

import arithmetic

RNG = np.random.default_rng(2)
TALL = RNG.normal(size=(200, 7)) * 10.0 ** np.arange(-3, 4)
SQUARE = TALL.T @ TALL


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (TALL, TALL.T),
        (TALL.T, TALL),
        (np.asfortranarray(TALL), np.ones(7)),
        (TALL, np.ones(7)),
        (np.ones(200), TALL),
        (TALL[:, 0], TALL[:, 1]),
        (TALL[::2], TALL[::2].T),
        (TALL[:, :0], np.zeros((0, 3))),
        (TALL[:0], np.ones((7, 2))),
    ],
)
def test_products_are_numpys(left: np.ndarray, right: np.ndarray) -> None:
    expected = left @ right
    bound = np.abs(left) @ np.abs(right)
    assert np.shape(arithmetic.product(left, right)) == np.shape(expected)
    assert (np.abs(arithmetic.product(left, right) - expected) <= 1e-14 * bound).all()


def test_shapes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match=r"\(2,\) and \(3,\) cannot be multiplied"):
        arithmetic.product(np.ones(2), np.ones(3))


def test_moments_are_numpys() -> None:
    np.testing.assert_allclose(
        arithmetic.covariance(TALL), np.cov(TALL, rowvar=False), rtol=1e-12, atol=1e-12
    )
    np.testing.assert_allclose(arithmetic.correlations(TALL), np.corrcoef(TALL, rowvar=False), atol=1e-13)
    np.testing.assert_allclose(arithmetic.gram(TALL, np.arange(200.0)), (TALL.T * np.arange(200)) @ TALL)


def test_equations_and_factors_are_numpys() -> None:
    scaled = SQUARE / np.sqrt(np.outer(np.diag(SQUARE), np.diag(SQUARE)))
    lower = arithmetic.cholesky(scaled)
    np.testing.assert_allclose(lower, np.linalg.cholesky(scaled), atol=1e-13)
    right = RNG.normal(size=7)
    for found in (arithmetic.solve(scaled, right), arithmetic.solve_factored(lower, right)):
        np.testing.assert_allclose(found, np.linalg.solve(scaled, right), rtol=1e-11)
    np.testing.assert_allclose(arithmetic.triangular(lower, right), np.linalg.solve(lower, right), rtol=1e-11)
    turned = arithmetic.triangular(lower, right, transposed=True)
    np.testing.assert_allclose(turned, np.linalg.solve(lower.T, right), rtol=1e-11)
    np.testing.assert_allclose(arithmetic.inverse(scaled), np.linalg.inv(scaled), atol=1e-11)
    assert arithmetic.log_determinant(scaled) == pytest.approx(np.linalg.slogdet(scaled)[1], abs=1e-11)
    with pytest.raises(arithmetic.NotPositive):
        arithmetic.cholesky(-scaled)
    assert np.isnan(arithmetic.solve(np.zeros((2, 2)), np.ones(2))).all()


def test_the_inverse_of_a_gram_matrix_is_that_of_the_pseudo_inverse() -> None:
    """Of independent columns in very different units, and of columns of which one is the sum of two."""
    for table in (TALL, np.column_stack([TALL / np.abs(TALL).max(axis=0), TALL[:, 0] + TALL[:, 0]])):
        inner = np.linalg.pinv(table, rcond=1e-13)
        expected = inner @ inner.T
        scale = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
        assert (np.abs(arithmetic.inverse_gram(table, 1e-13) - expected) <= 1e-9 * scale).all()


@pytest.mark.parametrize("n", [0, 1, 2, 12])
def test_eigenvalues_are_numpys_and_vectors_rebuild_the_matrix(n: int) -> None:
    half = RNG.normal(size=(n, n))
    matrix = half + half.T
    values, vectors = arithmetic.eigen(matrix)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(matrix), atol=1e-12)
    np.testing.assert_allclose((vectors * values) @ vectors.T, matrix, atol=1e-12)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(n), atol=1e-12)


def test_collinear_columns_are_counted_once_in_any_unit() -> None:
    extra = np.column_stack([TALL, 1e9 * TALL[:, 0] + TALL[:, 1], np.zeros(200)])
    assert arithmetic.rank(extra) == 7 and arithmetic.rank(TALL[:3]) == 3
    assert arithmetic.rank(np.column_stack([TALL, TALL[:, 0] + 1e-6 * RNG.normal(size=200)])) == 8
    plain = RNG.normal(size=(50, 3))
    tied = np.column_stack([plain, plain.sum(axis=1)])
    right = RNG.normal(size=50)
    expected = np.linalg.lstsq(tied, right, rcond=1e-10)[0]
    np.testing.assert_allclose(arithmetic.least_squares(tied, right), expected, atol=1e-13)
    moments = tied.T @ tied
    expected = np.linalg.pinv(moments, hermitian=True)
    np.testing.assert_allclose(arithmetic.pseudo_inverse(moments), expected, atol=1e-13)
    few = arithmetic.least_squares(plain[:2], right[:2])
    np.testing.assert_allclose(few, np.linalg.lstsq(plain[:2], right[:2], rcond=1e-10)[0], atol=1e-12)


def test_the_search_finds_the_minimum_of_rosenbrocks_function() -> None:
    found = arithmetic.minimise(lambda x: (float(rosen(x)), rosen_der(x)), np.zeros(6), goal=1e-9, most=500)
    np.testing.assert_allclose(found.x, np.ones(6), atol=1e-6)
    assert np.abs(found.gradient).max() <= 1e-9 and found.iterations < 200


def test_the_search_stops_where_nothing_is_lower() -> None:
    found = arithmetic.minimise(lambda x: (float(np.abs(x).sum()), np.sign(x) + 0.5), np.zeros(2), most=50)
    assert found.iterations <= 50 and found.x.tolist() == [0.0, 0.0]
