"""Attempts to break out, run inside the sandbox by the self-test, which lays ``facts.json`` beside this file.

Each attempt returns what it achieved in a few words, or an empty text. This file uses the standard library
only and must not be imported by the platform.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

FACTS: dict[str, Any] = json.loads(Path(__file__).with_name("facts.json").read_text(encoding="ascii"))
MIB = 1 << 20
CLONE_NEWUSER = 0x10000000
AF_VSOCK = 40
EXPECTED_NAMES = {"PWD", "OLDPWD", "SHLVL", "_", "HOSTNAME", "container", "LD_LIBRARY_PATH", "GPG_KEY"}


def files() -> str:
    for path in (FACTS["secret"], f"/proc/1/root{FACTS['secret']}", "/etc/shadow", "/root/.bashrc"):
        try:
            Path(path).read_bytes()
        except OSError:
            continue
        return f"{path} could be read"
    return ""


def writing() -> str:
    folders = (
        "/",
        "/usr",
        "/usr/lib",
        "/etc",
        "/dev",
        "/program",
        "/original",
        "/entry",
        "/opt",
    )
    for folder in (*folders, str(Path(FACTS["secret"]).parent)):
        target = Path(folder, "written-by-self-test")
        try:
            target.write_text("x", encoding="ascii")
            target.unlink()
        except OSError:
            continue
        return f"a file could be written to {folder}"
    return ""


def disk() -> str:
    for folder in ("/tmp", "/out", "/dev/shm"):  # noqa: S108 -- the private ones inside the sandbox
        written = 0
        try:
            for number in range(10):
                with Path(folder, f"fill-{number}").open("wb") as file:
                    written += file.write(bytes(4 * MIB))
        except OSError:
            pass
        for number in range(10):
            Path(folder, f"fill-{number}").unlink(missing_ok=True)
        if written > 20 * MIB:
            return f"{written // MIB} MB could be written to {folder}"
    return ""


def network() -> str:
    targets = ((socket.AF_INET, ("127.0.0.1", FACTS["port"])), (socket.AF_INET, ("192.0.2.1", 53)))
    for family, address in targets:
        try:
            with socket.socket(family) as sock:
                sock.settimeout(0.2)
                sock.connect(address)
        except OSError:
            continue
        return f"a connection to {address[0]} was made"
    try:
        socket.socket(AF_VSOCK, socket.SOCK_STREAM).close()
    except OSError:
        return ""
    return "a socket to the machine's host (AF_VSOCK) could be made"


def environment() -> str:
    for path in (Path("/proc/self/environ"), Path("/proc/1/environ"), Path(f"/proc/{os.getppid()}/environ")):
        try:
            pairs = path.read_bytes().split(b"\0")
        except OSError:
            continue
        names = {pair.partition(b"=")[0].decode("utf-8", "replace") for pair in pairs if pair}
        # The variables that Python's official images set start with PYTHON_ and reveal nothing.
        strange = sorted(
            name for name in names - EXPECTED_NAMES - set(FACTS["names"]) if not name.startswith("PYTHON_")
        )
        if strange:
            return f"the variable {strange[0]} could be read in {path}"
    return ""


def processes() -> str:
    visible = [path.name for path in Path("/proc").iterdir() if path.name.isdigit()]
    if len(visible) > 10:
        return f"{len(visible)} processes are visible"
    if str(FACTS["pid"]) in visible:
        # The number may by chance be that of a process inside; the moment of its start may not.
        words = Path(f"/proc/{FACTS['pid']}/stat").read_bytes().rpartition(b")")[2].split()
        return "the platform's own process is visible" if words[19].decode() == FACTS["started"] else ""
    try:
        os.kill(FACTS["pid"], 0)
    except ProcessLookupError:
        return ""
    except OSError:
        pass
    return "the platform's own process can be reached"


def forks() -> str:
    children: list[int] = []
    try:
        for _ in range(100):
            child = os.fork()
            if child == 0:
                time.sleep(20)
                os._exit(0)
            children.append(child)
    except OSError:
        pass
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return f"{len(children)} processes were started" if len(children) > 40 else ""


def memory() -> str:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.shmget(0, MIB, 0o1600) >= 0:
        return "System V shared memory could be made"
    try:
        os.close(os.memfd_create("memory"))
    except OSError:
        pass
    else:
        return "a memory file could be made"
    return ""


def memory_of_process() -> str:
    """Run last and in a child, since a container's kernel may end the process instead of denying."""
    child = os.fork()
    if child == 0:
        try:
            held = bytearray(600 * MIB)
            for place in range(0, len(held), 4096):
                held[place] = 1
        except MemoryError:
            os._exit(1)
        os._exit(0)
    return "600 MB of memory could be used" if os.waitpid(child, 0)[1] == 0 else ""


def privileges() -> str:
    lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
    status = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
    if any(int(status[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")):
        return "capabilities are held"
    if status.get("NoNewPrivs") != "1":
        return "programs with the setuid bit could give new rights"
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWUSER) == 0:
        return "a new user namespace could be made"
    if libc.ptrace(16, os.getppid(), None, None) == 0:
        return "another process could be traced"
    return ""


def main() -> None:
    attempts: tuple[Callable[[], str], ...] = (
        *(files, writing, disk, network, environment, processes, forks, memory, privileges),
    )
    answers = {attempt.__name__: attempt() for attempt in attempts}
    answers["memory"] = answers["memory"] or memory_of_process()
    Path(sys.argv[3]).write_text(json.dumps(answers), encoding="ascii")


if __name__ == "__main__":
    main()
