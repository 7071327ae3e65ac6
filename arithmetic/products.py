"""Products and moments of matrices, each sum taken in the order of the rows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from arithmetic import arrays
from arithmetic.compiling import compiled

Floats = npt.NDArray[np.float64]
LANES = arrays.LANES
"""Partial sums of a long row: enough to keep a processor busy, and equally many on every processor."""


@compiled(arrays.dot_of)
def dot_of(left: Floats, right: Floats) -> float:
    """The inner product of two vectors: eight interleaved sums, then the rest."""
    a = b = c = d = e = f = g = h = 0.0
    whole = len(left) - len(left) % LANES
    for i in range(0, whole, LANES):
        a += left[i] * right[i]
        b += left[i + 1] * right[i + 1]
        c += left[i + 2] * right[i + 2]
        d += left[i + 3] * right[i + 3]
        e += left[i + 4] * right[i + 4]
        f += left[i + 5] * right[i + 5]
        g += left[i + 6] * right[i + 6]
        h += left[i + 7] * right[i + 7]
    rest = 0.0
    for i in range(whole, len(left)):
        rest += left[i] * right[i]
    return ((a + b) + (c + d)) + ((e + f) + (g + h)) + rest


@compiled(arrays.add_rows_of)
def add_rows_of(out: Floats, factors: Floats, rows: Floats) -> None:
    """out += factors[0] rows[0] + factors[1] rows[1] + …, one after the other, four in each pass."""
    whole = len(factors) - len(factors) % 4
    for k in range(0, whole, 4):
        a, b, c, d = factors[k], factors[k + 1], factors[k + 2], factors[k + 3]
        first, second, third, fourth = rows[k], rows[k + 1], rows[k + 2], rows[k + 3]
        for j in range(len(out)):
            out[j] = (((out[j] + a * first[j]) + b * second[j]) + c * third[j]) + d * fourth[j]
    for k in range(whole, len(factors)):
        a, first = factors[k], rows[k]
        for j in range(len(out)):
            out[j] += a * first[j]


@compiled(arrays.product_of)
def product_of(left: Floats, right: Floats) -> Floats:
    """left (n × m) times right (m × p)."""
    out = np.zeros((left.shape[0], right.shape[1]))
    for i in range(len(out)):
        add_rows_of(out[i], left[i], right)
    return out


@compiled(arrays.by_vector)
def _by_vector(left: Floats, right: Floats) -> Floats:
    out = np.empty(len(left))
    for i in range(len(left)):
        out[i] = dot_of(left[i], right)
    return out


@compiled(arrays.transposed_product)
def _transposed_product(left: Floats, right: Floats) -> Floats:
    """leftᵀ right for two tables with the same rows, read once from top to bottom."""
    out = np.zeros((left.shape[1], right.shape[1]))
    for start in range(0, len(left), LANES):
        end = min(start + LANES, len(left))
        for i in range(left.shape[1]):
            add_rows_of(out[i], left[start:end, i], right[start:end])
    return out


def product(left: npt.ArrayLike, right: npt.ArrayLike) -> Floats:
    """The matrix product of vectors and matrices, as ``left @ right`` but with the same bits everywhere.

    >>> product([[1.0, 2.0], [3.0, 4.0]], [1.0, 10.0]).tolist()
    [21.0, 43.0]
    """
    a, b = np.asarray(left, dtype=np.float64), np.asarray(right, dtype=np.float64)
    if a.shape[-1] != b.shape[0]:
        raise ValueError(f"Matrices of shapes {a.shape} and {b.shape} cannot be multiplied.")
    if a.ndim == 1 and b.ndim == 1:
        return np.float64(dot_of(np.ascontiguousarray(a), np.ascontiguousarray(b)))  # type: ignore[return-value]
    if b.ndim == 1:
        if a.flags.f_contiguous and not a.flags.c_contiguous:
            return product_of(b[None, :], a.T)[0] if a.shape[0] >= LANES else _by_vector(_rows(a), _rows(b))
        return _by_vector(_rows(a), _rows(b))
    if a.ndim == 1:
        return product_of(_rows(a[None, :]), _rows(b))[0]
    if a.T.flags.c_contiguous and not a.flags.c_contiguous:
        return _transposed_product(a.T, _rows(b))
    return product_of(_rows(a), _rows(b))


def gram(columns: Floats, weights: Floats | None = None) -> Floats:
    """XᵀX, or Xᵀ diag(w) X.

    >>> gram(np.array([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [[10.0, 14.0], [14.0, 20.0]]
    """
    plain = _rows(columns)
    return _transposed_product(plain if weights is None else plain * weights[:, None], plain)


def covariance(columns: Floats) -> Floats:
    """The sample covariances of the columns of a table."""
    centred = columns - columns.mean(axis=0)
    return gram(centred) / (len(columns) - 1)


def correlations(columns: Floats) -> Floats:
    """Pearson's correlations of the columns of a table.

    >>> correlations(np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    moments = covariance(columns)
    scale = np.sqrt(np.diag(moments))
    return np.clip(moments / scale[:, None] / scale[None, :], -1.0, 1.0)


def _rows(values: Floats) -> Floats:
    return np.ascontiguousarray(values)
