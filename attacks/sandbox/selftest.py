"""The sandbox tries to break out of itself before it is trusted with anybody's program."""

from __future__ import annotations

import functools
import json
import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from attacks.sandbox.execute import Backend, execute
from attacks.sandbox.limits import MIB, Limits
from attacks.sandbox.program import SCRIPT, Program
from attacks.sandbox.result import SandboxFault, SandboxResult
from attacks.sandbox.world import ENVIRONMENT

LIMITS = Limits(
    cpu_seconds=60,
    wall_seconds=120,
    memory_bytes=256 * MIB,
    processes=16,
    scratch_bytes=8 * MIB,
    output_bytes=64 * 1024,
)
HOARD_LIMITS = replace(LIMITS, memory_bytes=96 * MIB)
ATTEMPTS = Path(__file__).with_name("escape_attempts.py")
HOARD = Path(__file__).with_name("hoard.py")
DENIED = b"denied"
SECRET = "kakurenbo-self-test-secret"  # noqa: S105 -- a marker, not a password

QUESTIONS = {
    "run": "A harmless program must run and its result arrive",
    "files": "Files of the machine and of the platform must not be readable",
    "writing": "Nothing outside the private folders may be writable",
    "disk": "The private folders must not grow beyond their size",
    "network": "No connection may leave or reach this machine's own services",
    "environment": "The platform's environment must not be visible",
    "processes": "Other processes of the machine must be neither visible nor in reach",
    "forks": "The number of processes must be limited",
    "memory": "Memory must be limited, shared memory too",
    "counting": "Memory that no process holds must be counted or denied",
    "privileges": "No privilege may be held or gained",
}
"""What is tried → what must hold."""

NAMESPACES_DENIED = ("new namespace failed", "No permissions to creat", "uid map", "Operation not permitted")
NAMESPACES_MEND = (
    "This machine denies namespaces to bubblewrap. On Ubuntu 24.04 and later allow them with"
    " `sysctl kernel.apparmor_restrict_unprivileged_userns=0` or an AppArmor profile for bwrap; on Debian"
    " with `sysctl kernel.unprivileged_userns_clone=1`; inside a container run the sandbox worker on the host"
    " instead, or set the sandbox to docker or podman."
)


class Check(NamedTuple):
    name: str
    contained: bool
    sentence: str


@dataclass(frozen=True)
class SelfTest:
    """``ok`` only if everything was contained; ``how_to_mend`` is empty then."""

    backend: str
    ok: bool
    checks: tuple[Check, ...]
    how_to_mend: str
    counted_by: str = "none"


@functools.cache
def proven(backend: Backend, counted_by: str) -> SelfTest:
    """The self-test of a backend, run once per process for each way of counting."""
    return self_test(backend)


def self_test(backend: Backend) -> SelfTest:
    """Run the list of attempts in the sandbox and judge from here what they achieved."""
    with tempfile.TemporaryDirectory(prefix="kakurenbo-self-test-") as name, _listening() as port:
        folder = Path(name)
        secret = folder / "P.csv"
        secret.write_text(SECRET, encoding="ascii")
        inputs = {}
        for side in ("original", "entry"):
            (folder / side).mkdir()
            for table in ("M.csv", "T.csv"):
                (folder / side / table).write_text("1\n", encoding="ascii")
            inputs[side] = folder / side
        started = Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19]
        facts = {
            "secret": str(secret),
            "port": port,
            "pid": os.getpid(),
            "started": started,
            "names": list(ENVIRONMENT),
        }
        files = {SCRIPT: ATTEMPTS.read_bytes(), "facts.json": json.dumps(facts).encode("ascii")}
        result = _run(backend, files, inputs)
        hoard = {SCRIPT: HOARD.read_bytes()}
        hoarded = _run(backend, hoard, inputs, HOARD_LIMITS) if result.output else result
        left_behind = [path.name for path in folder.iterdir() if path.name not in ("P.csv", *inputs)]
    return _judge(backend, result, hoarded, left_behind)


def _run(
    backend: Backend, files: dict[str, bytes], inputs: dict[str, Path], limits: Limits = LIMITS
) -> SandboxResult:
    try:
        return execute(backend, Program(files, SCRIPT), inputs, limits)
    except (SandboxFault, OSError) as fault:
        return SandboxResult("refused", str(fault))


def _judge(
    backend: Backend, result: SandboxResult, hoarded: SandboxResult, left_behind: list[str]
) -> SelfTest:
    found = _found(result)
    if hoarded.status in ("memory-exceeded", "killed") or hoarded.output == DENIED:
        found["counting"] = ""
    elif result.output:
        achieved = (hoarded.output or b"").decode("ascii", "replace")
        found["counting"] = achieved or str(hoarded.reason)
    if left_behind:
        found["writing"] = f"a file appeared outside: {left_behind[0]}"
    # A question counts as passed only where its attempt came back and achieved nothing.
    checks = tuple(_check(name, found.get(name, "it could not be tried")) for name in QUESTIONS)
    ok = all(check.contained for check in checks)
    denied = result.output is None and any(words in str(result.reason) for words in NAMESPACES_DENIED)
    mend = "" if ok else NAMESPACES_MEND if denied else backend.mend
    return SelfTest(backend.name, ok, checks, mend, backend.counted_by)


def _check(name: str, achieved: str) -> Check:
    sentence = QUESTIONS[name]
    return Check(name, not achieved, f"{sentence}: {achieved.rstrip('.')}." if achieved else f"{sentence}.")


def _found(result: SandboxResult) -> dict[str, str]:
    """What the attempts say they achieved; an empty text is a failure to break out."""
    if result.output is None:
        return {"run": f"{result.reason} {result.log.strip()[-300:]}".strip()}
    try:
        answers = json.loads(result.output)
    except ValueError:
        return {"run": "the result that arrived is not the one that was written"}
    return {"run": "", **{name: str(answer) for name, answer in answers.items()}}


@contextmanager
def _listening() -> Iterator[int]:
    """A service on this machine that the sandbox must not reach."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield server.getsockname()[1]
