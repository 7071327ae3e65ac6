"""The processors, libraries and surroundings under which results must be the same."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field

KERNELS = {
    "Prescott": "SSE3", "Nehalem": "SSE42", "Haswell": "AVX2", "Zen": "AVX2", "SkylakeX": "AVX512_SKX",
}  # fmt: skip
"""OpenBLAS kernels, and what a processor must have for each, by NumPy's names."""


@dataclass(frozen=True)
class Configuration:
    """A name and the variables that make it."""

    name: str
    variables: dict[str, str] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        return os.environ | self.variables


def simulated_processors() -> Iterator[Configuration]:
    """Other processors as far as this one can play them; libraries already compiled stay as they are."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    for kernel, needed in KERNELS.items():
        if __cpu_features__.get(needed, False):
            yield Configuration(f"OpenBLAS {kernel}", {"OPENBLAS_CORETYPE": kernel})
    extra = [name for name in __cpu_dispatch__ if __cpu_features__.get(name)]
    yield Configuration("NumPy without extensions", {"NPY_DISABLE_CPU_FEATURES": " ".join(extra)})


def surroundings() -> Iterator[Configuration]:
    yield Configuration("one thread", dict.fromkeys(THREADS, "1"))
    yield Configuration("four threads", dict.fromkeys(THREADS, "4"))
    yield Configuration("another locale and time zone", {"LC_ALL": "C", "LANG": "C", "TZ": "Pacific/Chatham"})
    yield Configuration("another hash seed", {"PYTHONHASHSEED": "12345"})


THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "MKL_NUM_THREADS")
COMPILED = Configuration(
    "Numba for any x86-64", {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "NUMBA_OPT": "3"}
)
OLD_LIBM = Configuration(
    "C library without FMA", {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX2_Usable,-FMA_Usable"}
)


def every_configuration() -> list[Configuration]:
    return [Configuration("as it is"), *simulated_processors(), *surroundings(), OLD_LIBM, COMPILED]
