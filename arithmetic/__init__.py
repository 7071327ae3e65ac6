"""Floating-point arithmetic that gives the same bits on every processor.

NumPy, OpenBLAS and LAPACK choose their kernels by the processor, and the kernels differ in the last bits: in
the order of sums, in fused multiplications, in the polynomials behind `exp` and `log`. Where a result is
hashed, compared, or decides what happens next, these functions replace them. Each adds, multiplies and
divides in an order that the code fixes, and IEEE 754 fixes the rest.
"""

from arithmetic.elementary import arctan, exp, expm1, log, log1p, log2, power, sine
from arithmetic.matrices import (
    NotPositive,
    cholesky,
    eigen,
    inverse,
    inverse_gram,
    least_squares,
    log_determinant,
    pseudo_inverse,
    rank,
    solve,
    solve_factored,
    triangular,
)
from arithmetic.minimise import Minimum, minimise, quasi_newton
from arithmetic.products import correlations, covariance, gram, product

__all__ = [
    "Minimum",
    "NotPositive",
    "arctan",
    "cholesky",
    "correlations",
    "covariance",
    "eigen",
    "exp",
    "expm1",
    "gram",
    "inverse",
    "inverse_gram",
    "least_squares",
    "log",
    "log1p",
    "log2",
    "log_determinant",
    "minimise",
    "power",
    "product",
    "pseudo_inverse",
    "quasi_newton",
    "rank",
    "sine",
    "solve",
    "solve_factored",
    "triangular",
]
