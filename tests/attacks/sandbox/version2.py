"""The hostile programs under control groups of version 2, on a machine that has version 1.

    python -m tests.attacks.sandbox.version2 /usr/bin/linux.uml

starts Linux as a program (Debian's package user-mode-linux) with the root of this machine, read-only, mounts
a hierarchy of version 2 there and runs every hostile program. That Linux is slow, so time limits are larger.
It needs root. The exit code is 0 if all were contained.
"""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from attacks.sandbox import Limits, SandboxFault, cgroup, run_program
from tests.attacks.sandbox.conftest import SMALL
from tests.attacks.sandbox.hostile import HOSTILE, Hostile
from tests.attacks.sandbox.hostile_memory import FILES, MEMORY
from tests.attacks.sandbox.hostile_time import KERNEL, TIME
from tests.conftest import ROOT

EVERY = {**KERNEL, **MEMORY, **TIME, **FILES, **HOSTILE}
SLOWER, SLOWER_START = 40, 3
MEMORY_OF_MACHINE = "900M"
SECONDS = 3000
INIT = """#!/bin/sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin TMPDIR=/run/tmp HOME=/run PYTHONDONTWRITEBYTECODE=1
mount -t proc proc /proc; mount -t sysfs sysfs /sys; mount -t tmpfs tmpfs /run
mount -t cgroup2 none /sys/fs/cgroup; mkdir -p /run/tmp
cd '{root}'; '{python}' -m tests.attacks.sandbox.version2 --inside
echo o > /proc/sysrq-trigger
"""
NOBODY = 4_000_000
FACTS: dict[str, object] = {
    "folder": "/srv",
    "truth": "/srv/P.csv",
    "other": "/srv/other.csv",
    "database": "/srv/db.sqlite3",
    "unix_socket": "/srv/service.sock",
    "secret": "the-secret",
    "port": 9,
    "bystander": NOBODY,
    "platform": NOBODY + 1,
    "parent": NOBODY + 2,
}


def main() -> int:
    if sys.argv[1:] == ["--inside"]:
        return inside()
    with tempfile.TemporaryDirectory() as name:
        init = Path(name, "init")
        init.write_text(INIT.format(root=ROOT, python=sys.executable), encoding="utf-8")
        init.chmod(0o755)
        command = [
            sys.argv[1],
            f"mem={MEMORY_OF_MACHINE}",
            "root=/dev/root",
            "rootfstype=hostfs",
            "rootflags=/",
        ]
        command += ["ro", f"init={init}", "con=null", "con0=fd:0,fd:1", "quiet"]
        with subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "TMPDIR": name},
            text=True,
            errors="replace",
        ) as machine:
            assert machine.stdout is not None
            told = ""
            for line in machine.stdout:
                if line.startswith(("contained", "NOT", "counted", "Traceback", "  ")):
                    print(line, end="", flush=True)
                    told = line
    return 0 if told.startswith(f"contained all {len(EVERY)}") else 1


def inside() -> int:
    print("counted by", cgroup.find().kind, os.uname().release, flush=True)
    with tempfile.TemporaryDirectory() as name:
        inputs = {side: Path(name, side) for side in ("original", "entry")}
        for folder in inputs.values():
            folder.mkdir()
            for table in ("M.csv", "T.csv"):
                (folder / table).write_text("1\n", encoding="ascii")
        escaped = [name for name, hostile in EVERY.items() if not _contained(name, hostile, inputs)]
    if not escaped:
        print(f"contained all {len(EVERY)}", flush=True)
    return 0


def _contained(name: str, hostile: Hostile, inputs: dict[str, Path]) -> bool:
    given = dataclasses.replace(SMALL, **hostile.limits)
    # Programs that only burn burn as much as elsewhere, but start later.
    slower = SLOWER_START if hostile.statuses == ("cpu-exceeded",) else SLOWER
    limits: Limits = dataclasses.replace(given, cpu_seconds=given.cpu_seconds * slower)
    limits = dataclasses.replace(limits, wall_seconds=min(600, given.wall_seconds * SLOWER))
    try:
        result = run_program(hostile.program(FACTS), inputs, limits)
    except SandboxFault as fault:
        print(f"NOT {name}: {fault}", flush=True)
        return False
    good = result.status in hostile.statuses and "ESCAPED" not in result.log and hostile.logged in result.log
    print(
        f"{'contained' if good else 'NOT'} {name}: {result.status}, {result.cpu_seconds:.1f} s,"
        f" {result.peak_memory >> 20} MB{'' if good else f': {result.reason} {result.log[-300:]!r}'}",
        flush=True,
    )
    return good


if __name__ == "__main__":
    sys.exit(main())
