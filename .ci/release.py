"""Make the files of a release in dist/: sources, wheel, bill of materials, checksums. Publishes nothing.

The files depend on the commit and the tools alone: times are the commit's, orders are fixed.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from sbom import bill_of_materials

ROOT = Path(__file__).resolve().parent.parent
BUILD = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"


class NotReady(Exception):
    """Says what has to be done before a release."""


def git(*words: str) -> str:
    return subprocess.run(
        ["git", *words], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()


def project() -> dict[str, str]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    found: dict[str, str] = settings["project"]
    return found


def check_ready(version: str) -> None:
    """The tree is what is committed, the changelog is about this version, and the version is a new one."""
    if git("status", "--porcelain"):
        raise NotReady("There are changes that are not committed. Commit them or put them aside.")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    top = re.search(r"^## (\S+) \((.+)\)$", changelog, re.MULTILINE)
    if top is None or top[1] != version:
        raise NotReady(
            f"The version in pyproject.toml is {version}, the top of CHANGELOG.md says {top and top[1]}."
        )
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", top[2]):
        raise NotReady(f"CHANGELOG.md says ({top[2]}) beside {version}. Write the date of the release there.")
    if f"v{version}" in git("tag", "--list").split():
        raise NotReady(f"The tag v{version} exists. Raise the version in pyproject.toml and CHANGELOG.md.")


def write_sources(name: str, epoch: int, out: Path) -> Path:
    """All that is committed, as one archive, which also serves as the source distribution."""
    tree = subprocess.run(
        ["git", "archive", f"--prefix={name}/", "HEAD"], cwd=ROOT, check=True, capture_output=True
    ).stdout
    path = out / f"{name}.tar.gz"
    with path.open("wb") as file, gzip.GzipFile("", "wb", mtime=epoch, fileobj=file) as packed:
        packed.write(tree)
    return path


def write_wheel(sources: Path, epoch: int, out: Path) -> None:
    """Build the wheel from the archive of the sources, so that nothing else can get into it."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.unpack_archive(sources, folder)
        unpacked = next(Path(folder).iterdir())
        environment = os.environ | {"SOURCE_DATE_EPOCH": str(epoch), "PYTHONHASHSEED": "0"}
        done = subprocess.run(
            [sys.executable, "-c", BUILD, str(out)],
            cwd=unpacked,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise NotReady(f"The wheel cannot be built.\n{done.stdout}{done.stderr}")


def write_sums(out: Path) -> str:
    """SHA256SUMS as `sha256sum --check` reads it."""
    sums = io.StringIO()
    for path in sorted(out.iterdir()):
        sums.write(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n")
    (out / "SHA256SUMS").write_text(sums.getvalue(), encoding="utf-8")
    return sums.getvalue()


def release() -> str:
    described = project()
    version = described["version"]
    check_ready(version)
    name = f"{described['name']}-{version}"
    epoch = int(git("log", "-1", "--format=%ct"))
    os.umask(0o022)
    with tempfile.TemporaryDirectory(dir=ROOT, prefix=".release-") as folder:
        out = Path(folder) / "dist"
        out.mkdir()
        sources = write_sources(name, epoch, out)
        write_wheel(sources, epoch, out)
        bill = bill_of_materials(ROOT / "requirements", described, epoch)
        (out / f"{name}.cdx.json").write_text(bill, encoding="utf-8")
        sums = write_sums(out)
        shutil.rmtree(ROOT / "dist", ignore_errors=True)
        out.rename(ROOT / "dist")
    return f"{sums}\ndist/ holds {name}. Nothing was published. docs/releasing.md says what comes next."


if __name__ == "__main__":
    try:
        sys.stdout.write(f"{release()}\n")
    except NotReady as reason:
        sys.exit(f"release: {reason}")
