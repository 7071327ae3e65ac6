"""How a run is started and how it reports: the same for every backend.

Standard error carries the program's log. Standard output carries the report: a word before the program
begins, one line with its exit code and what is at the place of the result, two with the CPU times of the
shell and of its children, then the result's bytes. The report is written by a small shell inside the sandbox,
so the platform never opens a path that the program controls.
"""

from __future__ import annotations

import re
import resource
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from attacks.sandbox.group import Group
from attacks.sandbox.limits import Limits
from attacks.sandbox.scratch import Scratch

PENDING_SIGNALS = 256

REPORTER = """
for result; do :; done
echo started
"$@" >&2 </dev/null
code=$?
kind=none size=0
if [ -L "$result" ]; then kind=link
elif [ -f "$result" ]; then kind=file size=$(wc -c <"$result")
elif [ -e "$result" ]; then kind=other
fi
printf '%d %s %d\\n' "$code" "$kind" "$size"
times
if [ "$kind" = file ] && [ "$code" = 0 ]; then head -c "$most" "$result"; fi
exit "$code"
"""
"""Runs its arguments, the last of which is the place of the result, and reports. What the program does to
this shell can only spoil its own report."""


STARTED = b"started\n"
HEADER = re.compile(
    rb"(\d{1,3}) (none|link|file|other) (\d{1,18})\n"
    rb"\d+m[\d.]+s \d+m[\d.]+s\n"
    rb"(\d{1,6})m(\d{1,2}\.\d{1,6})s (\d{1,6})m(\d{1,2}\.\d{1,6})s\n"
)


@dataclass(frozen=True)
class Begun:
    """A descriptor of the first process inside, with which all the others die, and the private folders."""

    first: int | None = None
    scratch: Scratch | None = None


@dataclass(frozen=True)
class Launch:
    """A command line, the descriptors it inherits, its environment, and how to end what it started.

    ``begin`` is called once the command runs. ``group`` counts what the run uses; where it is None, the
    processes are looked at one by one. A container is ended by ``end_argv``.
    """

    argv: tuple[str, ...]
    pass_fds: tuple[int, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    begin: Callable[[], Begun] = Begun
    group: Group | None = None
    end_argv: tuple[str, ...] = ()


@dataclass(frozen=True)
class Report:
    """What the shell inside says; an ended or spoilt shell leaves ``kind`` at "missing".

    Where ``started`` is False the program has not run, so whatever went wrong is not its doing.
    """

    started: bool = False
    exit_code: int | None = None
    kind: str = "missing"
    size: int = 0
    cpu_seconds: float = 0.0
    content: bytes = b""


def reporting(command: tuple[str, ...], limits: Limits) -> tuple[str, ...]:
    """Wrap a command so that it reports; one byte too many is let through to be noticed."""
    return ("/bin/sh", "-c", f"most={limits.output_bytes + 1}" + REPORTER, "sandbox", *command)


def read_report(data: bytes) -> Report:
    """Take the report apart. It comes out of the sandbox, so it may contain anything.

    >>> read_report(b"started\\n0 file 4\\n0m0.01s 0m0.02s\\n1m2.5s 0m0.25s\\n1\\n2\\n")
    Report(started=True, exit_code=0, kind='file', size=4, cpu_seconds=62.75, content=b'1\\n2\\n')
    >>> read_report(b"started\\nnonsense").kind
    'missing'
    """
    if not data.startswith(STARTED):
        return Report()
    match = HEADER.match(data, len(STARTED))
    if not match:
        return Report(started=True)
    minutes, seconds, system_minutes, system_seconds = (float(match[i]) for i in range(4, 8))
    cpu_seconds = 60 * (minutes + system_minutes) + seconds + system_seconds
    return Report(
        True, int(match[1]), match[2].decode("ascii"), int(match[3]), cpu_seconds, data[match.end() :]
    )


def limiting(limits: Limits, *, own_processes: bool = True) -> tuple[str, ...]:
    """The `prlimit` call that goes before the reporter, inside the sandbox.

    The kernel counts processes and pending signals (timers among them) by user, so their number is only
    limited where the run is a user of its own (``own_processes``); elsewhere whatever else the user runs
    would count too. Two processes are the
    platform's own (the first of the process space and the reporter). A second after the soft limit of CPU
    time the kernel kills a program that ignores it.
    """
    wanted = {
        "as": (resource.RLIMIT_AS, limits.memory_bytes),
        "nproc": (resource.RLIMIT_NPROC, limits.processes + 2),
        "nofile": (resource.RLIMIT_NOFILE, limits.open_files),
        "fsize": (resource.RLIMIT_FSIZE, limits.scratch_bytes),
        "core": (resource.RLIMIT_CORE, 0),
        "memlock": (resource.RLIMIT_MEMLOCK, 1 << 16),
        "msgqueue": (resource.RLIMIT_MSGQUEUE, 0),
        "sigpending": (resource.RLIMIT_SIGPENDING, PENDING_SIGNALS),
        "nice": (resource.RLIMIT_NICE, 0),
        "rtprio": (resource.RLIMIT_RTPRIO, 0),
    }
    if not own_processes:
        del wanted["nproc"], wanted["sigpending"]
    flags = [f"--{name}={_allowed(number, value)}" for name, (number, value) in wanted.items()]
    cpu = _allowed(resource.RLIMIT_CPU, limits.cpu_seconds + 1)
    return ("/usr/bin/prlimit", *flags, f"--cpu={min(limits.cpu_seconds, cpu)}:{cpu}", "--")


def _allowed(number: int, value: int) -> int:
    """A limit can only be lowered: keep the one that is already in force where it is smaller."""
    hard = resource.getrlimit(number)[1]
    return value if hard == resource.RLIM_INFINITY else min(value, hard)
