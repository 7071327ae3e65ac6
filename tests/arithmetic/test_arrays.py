"""Without Numba, as in the sandbox, every function gives the bits of the compiled ones."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from typing import Any

import numpy as np

import arithmetic
from arithmetic.compiling import IS_COMPILED
from arithmetic.elementary import exp_of, log_of
from arithmetic.matrices import factor_of
from tests.conftest import ROOT

ALONE = """
import json, sys
sys.modules["numba"] = None
from arithmetic.compiling import IS_COMPILED
from tests.arithmetic.test_arrays import digests
assert not IS_COMPILED
print(json.dumps(digests()))
"""


def numbers() -> np.ndarray:
    """Of every size, at the ends of what doubles can be, and around the places where formulas change."""
    rng = np.random.default_rng(5)
    wide = rng.choice([-1.0, 1.0], 4000) * 10.0 ** rng.uniform(-320, 308, 4000)
    usual = rng.normal(size=4000) * 10.0 ** rng.integers(-3, 4, 4000)
    ends = [0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, 2.2250738585072014e-308, 709.782712893384,
            -745.1332191019412, 1.0, 0.4, -0.25, 0.34, -0.34, 0.7071067811865476]  # fmt: skip
    near = [np.nextafter(value, towards) for value in ends for towards in (-np.inf, np.inf)]
    return np.concatenate([wide, usual, ends, near])


def results() -> dict[str, Any]:
    """Every function of the package on tables of several shapes."""
    rng = np.random.default_rng(6)
    x = numbers()
    small = x[np.abs(x) <= np.pi / 4]
    tall = rng.normal(size=(203, 7)) * 10.0 ** np.arange(-3, 4)
    wide = rng.normal(size=(5, 37))
    singular = np.column_stack([tall, tall[:, 0] * 2])
    square = arithmetic.covariance(tall)
    lower = arithmetic.cholesky(square)
    big = rng.normal(size=(90, 60))
    spread = arithmetic.gram(big)
    factor = spread.copy()
    found: dict[str, Any] = {
        name: getattr(arithmetic, name)(x) for name in ("exp", "log", "log2", "log1p", "expm1", "arctan")
    }
    usual = x[np.isfinite(x)][:300]
    found |= {
        "sine": arithmetic.sine(small),
        "power": arithmetic.power(np.abs(usual) + 1, 0.3),
        "one exp": [exp_of(float(value)) for value in usual],
        "one log": [log_of(float(value)) for value in usual],
        "factor": (factor_of(factor), factor),
        "rows": arithmetic.product(tall, tall[:7]),
        "turned": arithmetic.product(tall.T, tall),
        "vector": arithmetic.product(tall, tall[0]),
        "wide vector": arithmetic.product(wide, wide[0]),
        "columns": arithmetic.product(np.asfortranarray(tall), tall[0]),
        "row": arithmetic.product(tall[:, 0], tall),
        "inner": arithmetic.product(tall[:, 0], tall[:, 1]),
        "nothing": arithmetic.product(-np.zeros((3, 4)), np.zeros((4, 2))),
        "gram": arithmetic.gram(tall, rng.random(203)),
        "correlations": arithmetic.correlations(tall),
        "triangular": arithmetic.triangular(lower, tall.T),
        "back": arithmetic.triangular(lower, tall[0], transposed=True),
        "solve": arithmetic.solve(square, tall[0]),
        "inverse": arithmetic.inverse(square),
        "eigen": arithmetic.eigen(square),
        "pseudo": arithmetic.pseudo_inverse(arithmetic.gram(singular)),
        "least": arithmetic.least_squares(singular, tall[:, 1] + 1),
        "inverse gram": arithmetic.inverse_gram(wide),
        "rank": arithmetic.rank(singular),
        "determinant": arithmetic.log_determinant(square),
    }  # fmt: skip
    search = arithmetic.minimise(lambda at: (float(((at - 3) ** 4).sum()), 4 * (at - 3) ** 3), np.zeros(2))
    return found | {"minimum": search.x}


def digests() -> dict[str, str]:
    found = {}
    for name, values in results().items():
        parts = values if isinstance(values, tuple) else (values,)
        content = b"".join(np.ascontiguousarray(part, dtype=np.float64).tobytes() for part in parts)
        found[name] = hashlib.sha256(content).hexdigest()
    return found


def test_without_numba_every_bit_is_the_same() -> None:
    assert IS_COMPILED
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", ALONE], env=environment, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == digests()
