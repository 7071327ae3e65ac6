"""What a program sees besides its inputs: the interpreter, four libraries and the system's tools, read-only.

From the platform's own environment only numpy, scipy, pandas, scikit-learn and what these need are mounted,
package by package: the platform's code, Django and the database drivers are not there to be imported, and
the compiled bytecode of those packages is used as it is.
"""

from __future__ import annotations

import functools
import importlib.metadata
import re
import sys
from dataclasses import dataclass
from pathlib import Path

OFFERED = ("numpy", "scipy", "pandas", "scikit-learn")

SYSTEM_FOLDERS = ("bin", "lib", "lib32", "lib64")
"""Of the root folder; on today's systems links into /usr. /usr/local, /usr/share, /etc, /var stay outside."""

PYTHON_HOME = "/opt/python"
SITE = "/opt/site"

ENVIRONMENT = {
    "HOME": "/tmp",  # noqa: S108 -- inside the sandbox, where /tmp is private to the run
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "PATH": f"{PYTHON_HOME}/bin:/usr/bin:/bin",
    "TMPDIR": "/tmp",  # noqa: S108
    "TZ": "UTC",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONNOUSERSITE": "1",
    "PYTHONPATH": SITE,
    "PYTHONUNBUFFERED": "1",
    "PYTHONUTF8": "1",
    "LOKY_MAX_CPU_COUNT": "1",
    "MKL_NUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
"""One thread and a fixed hash seed: the same program on the same entry gives the same Q on every machine."""


@dataclass(frozen=True)
class World:
    """Read-only mounts (outside → inside), folders hidden by an empty one, and how to call Python."""

    mounts: tuple[tuple[Path, str], ...]
    hidden: tuple[str, ...]
    python: str
    environment: dict[str, str]


@functools.cache
def python_world() -> World:
    """The world made from the interpreter that runs the platform, at neutral places."""
    base = Path(sys.base_prefix)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = tuple((path, f"{SITE}/{path.name}") for path in _package_paths())
    if base == Path("/usr"):
        # Debian's dist-packages hold whatever the machine's owner installed; teams get the offered ones.
        extra = tuple(f"/usr/lib/{name}/dist-packages" for name in ("python3", version))
        hidden = tuple(path for path in extra if Path(path).is_dir())
        return World(packages, hidden, f"/usr/bin/{version}", ENVIRONMENT)
    mounts = ((base / "bin" / version, f"{PYTHON_HOME}/bin/python3"), (base / "lib", f"{PYTHON_HOME}/lib"))
    libraries = {"LD_LIBRARY_PATH": f"{PYTHON_HOME}/lib"} if any((base / "lib").glob("libpython*")) else {}
    return World(
        mounts + packages,
        (f"{PYTHON_HOME}/lib/{version}/site-packages",),
        f"{PYTHON_HOME}/bin/python3",
        ENVIRONMENT | libraries,
    )


def _package_paths() -> list[Path]:
    """Every top-level file and folder of the offered packages and of what they require."""
    waiting, distributions = list(OFFERED), dict[str, importlib.metadata.Distribution]()
    while waiting:
        name = _normal(waiting.pop())
        if name in distributions:
            continue
        try:
            distributions[name] = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        required = [text for text in distributions[name].requires or () if "extra ==" not in text]
        waiting += [match[0] for text in required if (match := re.match(r"[A-Za-z0-9._-]+", text))]
    tops = {
        Path(str(distribution.locate_file(file.parts[0])))
        for distribution in distributions.values()
        for file in distribution.files or ()
        if file.parts[0] not in ("..", "__pycache__")
    }
    return sorted(path for path in tops if path.exists())


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
