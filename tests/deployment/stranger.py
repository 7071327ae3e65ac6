"""Both commands of the README as a stranger runs them: `make stranger`, as root.

An unprivileged user with a home that cannot be written to, in the C locale and a far time zone, works on a
clone of the last commit in a folder whose name has spaces and Japanese letters, with no data beside it. The
installation may use the network. Afterwards there is only a loopback of its own, where no PostgreSQL, Redis
or RabbitMQ answers, and no Chromium.

``python3 -m tests.deployment.stranger install --folder DIR`` (then ``test``, ``run``) takes one step at a
time; other words are passed on, such as ``-k`` to pytest. Needs git, util-linux and the standard library.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import os
import pwd
import shlex
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PLACE = "hide and seek 隠れん坊"
HIDDEN = ("chromium", "chromium-browser", "google-chrome")
SITE = "http://127.0.0.1:8000/"
BOARD = f"{SITE}contests/demo/practice/board.csv"
SIOCSIFFLAGS, IFF_UP = 0x8914, 0x1


class Stranger:
    """Somebody else on this machine, with a clone below a folder."""

    def __init__(self, folder: Path, name: str) -> None:
        self.account = pwd.getpwnam(name)
        self.folder = folder
        self.home = folder / "home"
        self.clone = folder / PLACE / "kakurenbo"

    def make_clone(self) -> None:
        for folder in (self.folder, self.home, self.clone.parent):
            folder.mkdir(exist_ok=True)
            folder.chmod(0o755)
        if self.clone.exists():
            trusted = ["git", "-c", f"safe.directory={self.clone}", "-C", self.clone]
            subprocess.run([*trusted, "pull", "--quiet", "--ff-only"], check=True)
        else:
            subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", ROOT, self.clone], check=True)
        owner = f"{self.account.pw_uid}:{self.account.pw_gid}"
        subprocess.run(["chown", "-R", owner, self.clone], check=True)

    def start(self, *command: str) -> subprocess.Popen[bytes]:
        print("$", shlex.join(command), flush=True)
        return subprocess.Popen(
            command,
            cwd=self.clone,
            env=self.environment(),
            user=self.account.pw_uid,
            group=self.account.pw_gid,
            extra_groups=[],
            start_new_session=True,
        )

    def environment(self) -> dict[str, str]:
        """Nothing of ours but what the network here asks for: an index, a proxy, certificates."""
        network = ("PIP_", "UV_", "SSL_CERT_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
        passed_on = {name: value for name, value in os.environ.items() if name.upper().startswith(network)}
        own = {"HOME": str(self.home), "LC_ALL": "C", "TZ": "Pacific/Chatham", "PATH": os.defpath}
        return passed_on | own

    def left_behind(self) -> list[int]:
        """Processes that work in the clone."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if (process / "cwd").readlink().is_relative_to(self.clone):
                    found.append(int(process.name))
        return found


def install(stranger: Stranger, words: list[str]) -> int:
    stranger.make_clone()
    return stranger.start("make", "install", *words).wait()


def test(stranger: Stranger, words: list[str]) -> int:
    if not words:
        return stranger.start("make", "test").wait()
    return stranger.start(".venv/bin/python", "-m", "pytest", *words).wait()


def run(stranger: Stranger, words: list[str]) -> int:
    """`make run` until the front page answers and the board of the demo has entries; then Ctrl-C."""
    server = stranger.start("make", "run", *words)
    try:
        wait_for(lambda: server.poll() is not None or b"Kakurenbo" in page(SITE), "the front page answers")
        wait_for(lambda: server.poll() is not None or page(BOARD).count(b"\n") > 3, "the board has entries")
        print(page(BOARD).decode(), flush=True)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGINT)
        server.wait(timeout=120)
    wait_for(lambda: not stranger.left_behind(), "no process is left", 60)
    # Ctrl-C goes to make as well, which then says that it was interrupted.
    return 0 if server.returncode in (0, -signal.SIGINT) else server.returncode


STEPS = {"install": install, "test": test, "run": run}


def hide() -> None:
    """In a network and a mount table of our own: raise the loopback, and put nothing in Chromium's place."""
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", IFF_UP))
    for program in filter(None, map(shutil.which, HIDDEN)):
        subprocess.run(["mount", "--bind", "/dev/null", program], check=True)


def page(url: str) -> bytes:
    with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=10) as answer:
        return bytes(answer.read())
    return b""


def wait_for(happened: Callable[[], bool], what: str, seconds: int = 1200) -> None:
    began = time.monotonic()
    while not happened():
        if time.monotonic() > began + seconds:
            raise SystemExit(f"Not within {seconds} seconds: {what}.")
        time.sleep(1)
    print(f"After {time.monotonic() - began:.0f} s: {what}.", flush=True)


def step(name: str, options: argparse.Namespace) -> int:
    """One step; all but the installation in a process that sees no network and no Chromium."""
    if name == "install" or options.hidden:
        return STEPS[name](Stranger(options.folder, options.user), options.words)
    again = [sys.executable, "-m", __spec__.name, name, "--hidden", "--user", options.user]
    again += ["--folder", str(options.folder), *options.words]
    return subprocess.run(["unshare", "--net", "--mount", *again], cwd=ROOT, check=False).returncode


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("step", choices=["all", *STEPS], nargs="?", default="all")
    parser.add_argument("--folder", type=Path, help="kept afterwards (default: a temporary one)")
    parser.add_argument("--user", default="nobody")
    parser.add_argument("--hidden", action="store_true", help=argparse.SUPPRESS)
    options, options.words = parser.parse_known_args()
    if os.geteuid() != 0:
        parser.error(
            "this becomes another user and hides parts of the machine, so it must be started as root"
        )
    if options.hidden:
        hide()
    with contextlib.ExitStack() as kept:
        if options.folder is None:
            options.folder = Path(
                kept.enter_context(tempfile.TemporaryDirectory(prefix="kakurenbo-stranger-"))
            )
        for name in STEPS if options.step == "all" else [options.step]:
            if status := step(name, options):
                return status
    return 0


if __name__ == "__main__":
    sys.exit(main())
