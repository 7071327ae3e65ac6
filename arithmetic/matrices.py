"""Linear equations, eigenvalues and ranks of matrices of moderate size, in a fixed order of operations."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from arithmetic import arrays
from arithmetic.compiling import compiled
from arithmetic.elementary import log
from arithmetic.products import add_rows_of, product

Floats = npt.NDArray[np.float64]
BLOCK = 32
SWEEPS = 60
"""Jacobi's method converges quadratically; ten sweeps are many."""


class NotPositive(ValueError):
    """The matrix is not positive definite."""


@compiled()
def factor_of(matrix: Floats) -> bool:
    """Replace a matrix by its lower Cholesky factor; False where it is not positive definite.

    Columns are taken in blocks. The columns of a block are also stored as rows above the diagonal, so that
    the rest of the matrix is updated along rows.
    """
    n = len(matrix)
    for start in range(0, n, BLOCK):
        end = min(start + BLOCK, n)
        for k in range(start, end):
            if not matrix[k, k] > 0.0:
                return False
            root = np.sqrt(matrix[k, k])
            matrix[k, k] = root
            for i in range(k + 1, n):
                matrix[i, k] /= root
                matrix[k, i] = matrix[i, k]
            for i in range(k + 1, n):
                factor = matrix[i, k]
                for j in range(k + 1, min(i + 1, end)):
                    matrix[i, j] -= factor * matrix[k, j]
        for i in range(end, n):
            add_rows_of(matrix[i, end : i + 1], -matrix[i, start:end], matrix[start:end, end : i + 1])
    for i in range(n):
        for j in range(i + 1, n):
            matrix[i, j] = 0.0
    return True


@compiled()
def forward_of(lower: Floats, right: Floats) -> Floats:
    """x with L x = b."""
    x = right.copy()
    for i in range(len(x)):
        value = x[i]
        for j in range(i):
            value -= lower[i, j] * x[j]
        x[i] = value / lower[i, i]
    return x


@compiled()
def backward_of(lower: Floats, right: Floats) -> Floats:
    """x with Lᵀ x = b."""
    x = right.copy()
    for i in range(len(x) - 1, -1, -1):
        x[i] /= lower[i, i]
        for j in range(i):
            x[j] -= lower[i, j] * x[i]
    return x


@compiled()
def solution_of(matrix: Floats, right: Floats) -> Floats:
    """X with A X = B, by elimination with row pivots; not a number where A is singular."""
    a, x = matrix.copy(), right.copy()
    n = len(a)
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[best, k]):
                best = i
        if a[best, k] == 0.0:
            x[:] = np.nan
            return x
        if best != k:
            for j in range(n):
                a[k, j], a[best, j] = a[best, j], a[k, j]
            for j in range(x.shape[1]):
                x[k, j], x[best, j] = x[best, j], x[k, j]
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= factor * a[k, j]
            for j in range(x.shape[1]):
                x[i, j] -= factor * x[k, j]
    for k in range(n - 1, -1, -1):
        for j in range(x.shape[1]):
            x[k, j] /= a[k, k]
            for i in range(k):
                x[i, j] -= a[i, k] * x[k, j]
    return x


@compiled()
def _turn(a: Floats, p: int, q: int, c: float, s: float) -> None:
    for k in range(len(a)):
        x, y = a[k, p], a[k, q]
        a[k, p], a[k, q] = c * x - s * y, s * x + c * y


@compiled()
def _jacobi(matrix: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues and vectors of a symmetric matrix by cyclic Jacobi rotations."""
    n = len(matrix)
    a, vectors = matrix.copy(), np.eye(n)
    for _ in range(SWEEPS):
        turned = False
        for p in range(n - 1):
            for q in range(p + 1, n):
                small = 1e-17 * np.sqrt(abs(a[p, p])) * np.sqrt(abs(a[q, q]))
                if abs(a[p, q]) <= small or abs(a[p, q]) < 1e-300:
                    continue
                turned = True
                theta = (a[q, q] - a[p, p]) / (2.0 * a[p, q])
                t = 1.0 / (abs(theta) + np.sqrt(theta * theta + 1.0))
                t = -t if theta < 0.0 else t
                c = 1.0 / np.sqrt(t * t + 1.0)
                _turn(a, p, q, c, t * c)
                _turn(a.T, p, q, c, t * c)
                a[p, q] = a[q, p] = 0.0
                _turn(vectors, p, q, c, t * c)
        if not turned:
            break
    return np.diag(a).copy(), vectors


@compiled(arrays.triangle)
def _triangle(columns: Floats, right: Floats) -> tuple[Floats, Floats]:
    """R and the leading part of Qᵀb of a tall table's QR decomposition by Householder reflections."""
    a, b = columns.copy(), right.copy()
    n, q = a.shape
    for k in range(min(n, q)):
        size = 0.0
        for i in range(k, n):
            size += a[i, k] * a[i, k]
        size = np.sqrt(size)
        if size == 0.0:
            continue
        head = -size if a[k, k] > 0.0 else size
        reflector = a[k:, k].copy()
        reflector[0] -= head
        half = 0.0
        for i in range(len(reflector)):
            half += reflector[i] * reflector[i]
        for j in range(k + 1, q):
            along = 0.0
            for i in range(len(reflector)):
                along += reflector[i] * a[k + i, j]
            for i in range(len(reflector)):
                a[k + i, j] -= 2.0 * along / half * reflector[i]
        along = 0.0
        for i in range(len(reflector)):
            along += reflector[i] * b[k + i]
        for i in range(len(reflector)):
            b[k + i] -= 2.0 * along / half * reflector[i]
        a[k, k] = head
        a[k + 1 :, k] = 0.0
    return a[:q].copy(), b[:q].copy()


@compiled()
def _one_sided(matrix: Floats) -> tuple[Floats, Floats]:
    """W = A V with orthogonal columns, whose lengths are the singular values, and V: Hestenes' rotations."""
    w, vectors = matrix.copy(), np.eye(matrix.shape[1])
    for _ in range(SWEEPS):
        turned = False
        for p in range(w.shape[1] - 1):
            for q in range(p + 1, w.shape[1]):
                alpha = beta = gamma = 0.0
                for k in range(len(w)):
                    alpha += w[k, p] * w[k, p]
                    beta += w[k, q] * w[k, q]
                    gamma += w[k, p] * w[k, q]
                if abs(gamma) <= 1e-15 * np.sqrt(alpha) * np.sqrt(beta) or abs(gamma) < 1e-300:
                    continue
                turned = True
                zeta = (beta - alpha) / (2.0 * gamma)
                t = 1.0 / (abs(zeta) + np.sqrt(zeta * zeta + 1.0))
                t = -t if zeta < 0.0 else t
                c = 1.0 / np.sqrt(t * t + 1.0)
                _turn(w, p, q, c, t * c)
                _turn(vectors, p, q, c, t * c)
        if not turned:
            break
    return w, vectors


def cholesky(matrix: npt.ArrayLike) -> Floats:
    """The lower L with L Lᵀ = A; `NotPositive` where A is not positive definite.

    >>> cholesky([[4.0, 2.0], [2.0, 5.0]]).tolist()
    [[2.0, 0.0], [1.0, 2.0]]
    """
    lower = np.array(matrix, dtype=np.float64, order="C")
    if not factor_of(lower):
        raise NotPositive("The matrix is not positive definite.")
    return lower


def triangular(lower: Floats, right: Floats, transposed: bool = False) -> Floats:
    """x with L x = b, or Lᵀ x = b."""
    vector = np.ascontiguousarray(right, dtype=np.float64)
    return backward_of(lower, vector) if transposed else forward_of(lower, vector)


def solve_factored(lower: Floats, right: Floats) -> Floats:
    """x with L Lᵀ x = b."""
    return backward_of(lower, forward_of(lower, np.ascontiguousarray(right, dtype=np.float64)))


def solve(matrix: npt.ArrayLike, right: npt.ArrayLike) -> Floats:
    """x with A x = b, for one right-hand side or one per column.

    >>> solve([[2.0, 0.0], [1.0, 1.0]], [4.0, 5.0]).tolist()
    [2.0, 3.0]
    """
    b = np.array(right, dtype=np.float64, order="C")
    found = solution_of(np.array(matrix, dtype=np.float64, order="C"), b.reshape(len(b), -1))
    return found.reshape(b.shape)


def inverse(matrix: npt.ArrayLike) -> Floats:
    return solve(matrix, np.eye(len(np.asarray(matrix))))


def log_determinant(matrix: npt.ArrayLike) -> float:
    """ln |A| of a positive definite matrix."""
    return float(2 * log(np.diag(cholesky(matrix))).sum())


def eigen(matrix: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Rising eigenvalues of a symmetric matrix and its eigenvectors as columns.

    The largest entry of every vector is positive, so that its sign follows from the matrix.

    >>> values, vectors = eigen([[2.0, 1.0], [1.0, 2.0]])
    >>> values.round(12).tolist(), vectors.round(6).tolist()
    ([1.0, 3.0], [[0.707107, 0.707107], [-0.707107, 0.707107]])
    """
    symmetric = np.array(matrix, dtype=np.float64, order="C")
    if not symmetric.size:
        return np.zeros(0), np.zeros((0, 0))
    values, vectors = _jacobi(symmetric)
    order = np.argsort(values, kind="stable")
    vectors = vectors[:, order]
    largest = np.argmax(np.abs(np.round(vectors, 9)), axis=0)
    signs = np.where(vectors[largest, np.arange(len(values))] < 0, -1.0, 1.0)
    return values[order], vectors * signs


def pseudo_inverse(matrix: npt.ArrayLike, cutoff: float = 1e-13) -> Floats:
    """The Moore-Penrose inverse of a symmetric matrix; eigenvalues below the cutoff count as 0.

    >>> pseudo_inverse([[2.0, 0.0], [0.0, 0.0]]).tolist()
    [[0.5, 0.0], [0.0, 0.0]]
    """
    values, vectors = eigen(matrix)
    kept = np.abs(values) > cutoff * np.abs(values).max(initial=0.0)
    return product(vectors[:, kept] / values[kept], vectors[:, kept].T)


def _singular(columns: Floats, right: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Singular values s of a table, W = U s, V, and the right side turned like W."""
    tall = np.array(columns, dtype=np.float64, order="C")
    missing = max(0, tall.shape[1] - tall.shape[0])
    if missing:
        tall = np.vstack([tall, np.zeros((missing, tall.shape[1]))])
        right = np.concatenate([right, np.zeros(missing)])
    triangle, turned = _triangle(tall, np.ascontiguousarray(right, dtype=np.float64))
    w, vectors = _one_sided(triangle)
    return np.sqrt((w * w).sum(axis=0)), w, vectors, turned


def rank(columns: npt.ArrayLike, cutoff: float = 1e-10) -> int:
    """How many columns of a table are independent; singular values below the cutoff count as 0.

    Columns are scaled first: a rank must not depend on the unit of a column.

    >>> rank([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])
    1
    """
    table = np.asarray(columns, dtype=np.float64)
    scale = np.sqrt((table * table).sum(axis=0))
    sizes = _singular(table[:, scale > 0] / scale[scale > 0], np.zeros(len(table)))[0]
    return int((sizes > cutoff * sizes.max(initial=0.0)).sum())


def least_squares(columns: npt.ArrayLike, right: npt.ArrayLike, cutoff: float = 1e-10) -> Floats:
    """The x of the smallest norm among those that minimise |A x − b|.

    >>> least_squares([[1.0, 1.0], [1.0, 1.0]], [2.0, 4.0]).round(12).tolist()
    [1.5, 1.5]
    """
    table = np.asarray(columns, dtype=np.float64)
    sizes, w, vectors, turned = _singular(table, np.asarray(right, dtype=np.float64))
    kept = sizes > cutoff * sizes.max(initial=0.0)
    return product(vectors[:, kept], product(w[:, kept].T, turned) / (sizes[kept] * sizes[kept]))


def inverse_gram(columns: npt.ArrayLike, cutoff: float = 1e-10) -> Floats:
    """(AᵀA)⁻¹ from the singular values of A; those below the cutoff are left out, as in a pseudo-inverse.

    AᵀA itself is not formed: it would lose half of the digits.

    >>> inverse_gram([[2.0, 0.0], [0.0, 4.0], [0.0, 0.0]]).tolist()
    [[0.25, 0.0], [0.0, 0.0625]]
    """
    table = np.asarray(columns, dtype=np.float64)
    sizes, _, vectors, _ = _singular(table, np.zeros(len(table)))
    kept = sizes > cutoff * sizes.max(initial=0.0)
    scaled = vectors[:, kept] / sizes[kept]
    return product(scaled, scaled.T)
