"""A small platform to attack: secrets, services and a process that must all survive every program."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from attacks.sandbox import Limits, NoSandbox, cgroup, choose_backend
from attacks.sandbox import run_program as run_counted_program
from tests.conftest import missing

SECRET = "the-secret-that-no-program-may-see"
SMALL = Limits(
    cpu_seconds=1,
    wall_seconds=30,
    memory_bytes=300 << 20,
    processes=32,
    scratch_bytes=8 << 20,
    output_bytes=64 << 10,
    log_bytes=8 << 10,
    open_files=64,
)


run_program = partial(run_counted_program, accept_uncounted=True)
"""These are programs of our own: a machine without control groups runs them too."""


@pytest.fixture
def mode(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With the control groups that this machine has, or as if it had none."""
    wanted = str(request.param)
    monkeypatch.setenv(cgroup.VARIABLE, "none" if wanted == "none" else "auto")
    places = cgroup.find()
    if wanted == "groups" and not places.found:
        missing(f"control groups absent: {places.lack}")
    return wanted


@pytest.fixture(scope="session")
def sandbox() -> str:
    """The name of a backend that works here."""
    try:
        return choose_backend("auto", accept_uncounted=True).name
    except NoSandbox as error:
        missing(f"sandbox absent: {error}")
        raise


@dataclass(frozen=True)
class Platform:
    """What a hostile program would like to reach."""

    folder: Path
    inputs: dict[str, Path]
    bystander: subprocess.Popen[bytes]
    port: int

    @property
    def facts(self) -> dict[str, object]:
        """What the attacker is told: the worst case is one who knows every address."""
        return {
            "folder": str(self.folder),
            "truth": str(self.inputs["entry"] / "P.csv"),
            "other": str(self.folder / "teams" / "other.csv"),
            "database": str(self.folder / "db.sqlite3"),
            "unix_socket": str(self.folder / "service.sock"),
            "port": self.port,
            "bystander": self.bystander.pid,
            "platform": os.getpid(),
            "parent": os.getppid(),
            "secret": SECRET,
        }

    def contents(self) -> dict[str, bytes]:
        return {
            str(path.relative_to(self.folder)): path.read_bytes()
            for path in sorted(self.folder.rglob("*"))
            if path.is_file()
        }


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    folder = tmp_path_factory.mktemp("platform")
    folder.chmod(0o755)
    inputs = {}
    for side in ("original", "entry"):
        (folder / side).mkdir()
        (folder / side / "M.csv").write_text("c1,f,1970/1/1,Japan\nc2,m,1980/2/3,France\n")
        (folder / side / "T.csv").write_text("c1,r1,2011/1/1,8:00,tea,1.5,2\nc2,r2,2011/1/2,9:00,cake,2,1\n")
        inputs[side] = folder / side
    (folder / "teams").mkdir()
    for name in ("entry/P.csv", "teams/other.csv", "db.sqlite3"):
        (folder / name).write_text(SECRET)
        # The sandbox must hide them, not their permissions.
        (folder / name).chmod(0o644)
    environment = {"KAKURENBO_SECRET": SECRET}
    bystander = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], env=environment)
    with socket.socket() as server, socket.socket(socket.AF_UNIX) as unix:
        server.bind(("127.0.0.1", 0))
        server.listen()
        unix.bind(str(folder / "service.sock"))
        unix.listen()
        yield Platform(folder, inputs, bystander, server.getsockname()[1])
    bystander.send_signal(signal.SIGKILL)
    bystander.wait()


def left_behind(folder: Path) -> list[str]:
    """Living processes that see a run which was laid out below a folder."""
    left = []
    for process in Path("/proc").iterdir():
        with suppress(OSError):
            if process.name.isdigit() and f"{folder}/kakurenbo-run-" in (process / "mountinfo").read_text():
                left.append((process / "comm").read_text())
    return left
