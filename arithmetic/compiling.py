"""Kernels are compiled where Numba is. In the sandbox, which has none, NumPy does the same operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

try:
    import numba
except ImportError:
    IS_COMPILED = False
else:
    IS_COMPILED = True

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def compiled(instead: Callable[..., Any] | None = None) -> Callable[[Kernel], Kernel]:
    """Compile a function. Without Numba it runs as it is, or ``instead`` does, which gives the same bits."""

    def made(function: Kernel) -> Kernel:
        if IS_COMPILED:
            return numba.njit(cache=True)(function)  # type: ignore[return-value]
        return instead or function  # type: ignore[return-value]

    return made
