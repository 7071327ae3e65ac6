"""Images built without an engine: debootstrap makes their base, buildah builds and runs them in a chroot.

Everything lies in one folder, which is removed at the end. Nothing of this machine's settings for packages
gets into an image: pip's are a secret of the build, Debian's mirror is read from apt.
"""

from __future__ import annotations

import ast
import contextlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.conftest import ROOT, missing
from tests.memory import folder_in_memory

BASE = "localhost/python-base:latest"
"""Plays the part of python:3.11-slim-bookworm."""
SUITE = "bookworm"
BASE_PACKAGES = ("python3-venv", "python-is-python3", "ca-certificates")
ROOM = 12 * 1024**3
"""Where memory has so much room, the images, which take some 4 GiB, are built there: far quicker."""
SHOWN_CHARACTERS = 8000
BUNDLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")


@contextlib.contextmanager
def builder(folder: Path) -> Iterator[Builder]:
    """A buildah of its own with the base at hand; afterwards all that it made is gone."""
    for program in ("debootstrap", "buildah"):
        if shutil.which(program) is None:
            missing(f"{program} absent: make system installs it")
    if os.geteuid() != 0:
        missing("root absent: only root can build an image without an engine")
    place = Path(tempfile.mkdtemp(prefix="kakurenbo-images-", dir=folder_in_memory(ROOM) or folder))
    try:
        made = Builder(place)
        made.make_base()
        yield made
    finally:
        shutil.rmtree(place)


class Builder:
    """buildah with storage, settings and temporary files in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "tmp").mkdir()
        settings = folder / "storage.conf"
        settings.write_text(
            f'[storage]\ndriver = "vfs"\ngraphroot = "{folder / "storage"}"\nrunroot = "{folder / "run"}"\n',
            encoding="utf-8",
        )
        self.environment = {
            **os.environ,
            "BUILDAH_ISOLATION": "chroot",
            "CONTAINERS_STORAGE_CONF": str(settings),
            "TMPDIR": str(folder / "tmp"),
        }

    def buildah(self, *arguments: str | Path) -> str:
        return self._run("buildah", *arguments)

    def make_base(self) -> None:
        root = self.folder / "root"
        include = "--include=" + ",".join(BASE_PACKAGES)
        # What debootstrap mounts in the base ends with it, also where it is killed. The files are thrown away
        # soon: they need not be safe from a power failure.
        apart = ("unshare", "--mount", "--propagation", "private")
        debootstrap = ("debootstrap", "--variant=minbase", include, SUITE, root, debian_mirror())
        self._run(*apart, *debootstrap, DPKG_FORCE="unsafe-io")
        for folder in ("var/cache/apt/archives", "var/lib/apt/lists"):
            shutil.rmtree(root / folder)
        container = self.buildah("from", "scratch")
        self.buildah("add", "--quiet", container, root, "/")
        self.buildah("commit", "--quiet", container, BASE)
        self.buildah("rm", container)
        shutil.rmtree(root)

    def build_images(self) -> None:
        """What `make image` does, with our base and this machine's way to the package registry."""
        settings = pip_settings()
        secret = self.folder / "pip.conf"
        secret.touch(mode=0o600)
        secret.write_text(
            "[global]\n" + "".join(f"{key} = {value}\n" for key, value in settings.items()), encoding="utf-8"
        )
        options = ["--pull-never", "--build-arg", f"BASE={BASE}", "--secret", f"id=pip,src={secret}"]
        for path in local_paths(settings):
            options += ["--volume", f"{path}:{path}:ro"]
        self._run("sh", "docker/build-images.sh", *options, BUILDER="buildah", KAKURENBO_VERSION="latest")

    def output(self, container: str, words: list[str], options: list[str] | None = None) -> str:
        """What a command prints, through a file: buildah may lose what a command prints that ends at once."""
        folder = Path(tempfile.mkdtemp(prefix="output-", dir=self.folder))
        folder.chmod(0o777)
        to_file = ["sh", "-c", 'exec "$@" >/run/output/text', "sh", *words]
        self.buildah("run", *(options or []), "--volume", f"{folder}:/run/output", container, "--", *to_file)
        return (folder / "text").read_text(encoding="utf-8").strip()

    @contextlib.contextmanager
    def container(self, image: str) -> Iterator[str]:
        name = self.buildah("from", "--pull-never", f"localhost/{image}:latest")
        try:
            yield name
        finally:
            self.buildah("rm", name)

    def _run(self, *command: str | Path, **extra: str) -> str:
        done = subprocess.run(
            command, cwd=ROOT, env={**self.environment, **extra}, capture_output=True, text=True, check=False
        )
        if done.returncode:
            said = (done.stdout + done.stderr)[-SHOWN_CHARACTERS:]
            raise AssertionError(f"{command[0]} ended with {done.returncode}:\n{said}")
        return done.stdout.strip()


def debian_mirror() -> str:
    """Where apt on this machine takes Debian itself from."""
    shape = "$(RELEASE) $(COMPONENT) $(REPO_URI)"
    command = ["apt-get", "indextargets", "--no-release-info", "--format", shape, "Created-By: Packages"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    main = [platform.freedesktop_os_release().get("VERSION_CODENAME", ""), "main"]
    mirrors = [words[2] for words in map(str.split, done.stdout.splitlines()) if words[:2] == main]
    if not mirrors:
        missing("mirror of Debian absent: apt on this machine names none")
    return mirrors[0]


def pip_settings() -> dict[str, str]:
    """pip's settings here, from files and environment, and the certificates it trusts."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    found = {}
    # The environment outweighs files, and pip lists it first.
    for line in reversed(listed):
        name, _, value = line.partition("=")
        found[name.rsplit(".", 1)[1]] = " ".join(str(ast.literal_eval(value)).split())
    bundles = [os.environ[name] for name in BUNDLES if os.environ.get(name)]
    if bundles:
        found.setdefault("cert", bundles[0])
    return found


def local_paths(settings: dict[str, str]) -> list[Path]:
    """Files and folders of this machine that pip's settings name; the build sees them at the same place."""
    named = {part.removeprefix("file://") for value in settings.values() for part in value.split()}
    found = {Path(part) for part in named if part.startswith("/") and Path(part).exists()}
    # A folder of packages may name files beside it, as an index does in its pages.
    return sorted({path.parent if path.is_dir() and path.name == "simple" else path for path in found})
