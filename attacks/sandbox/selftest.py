"""The sandbox tries to break out of itself before it is trusted with anybody's program."""

from __future__ import annotations

import functools
import json
import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from attacks.sandbox.execute import Backend, execute
from attacks.sandbox.limits import MIB, Limits
from attacks.sandbox.program import SCRIPT, Program
from attacks.sandbox.result import SandboxResult
from attacks.sandbox.world import ENVIRONMENT

LIMITS = Limits(
    cpu_seconds=10,
    wall_seconds=30,
    memory_bytes=256 * MIB,
    processes=16,
    scratch_bytes=8 * MIB,
    output_bytes=64 * 1024,
)
ATTEMPTS = Path(__file__).with_name("attempts.py")
SECRET = "kakurenbo-self-test-secret"  # noqa: S105 -- a marker, not a password

QUESTIONS = {
    "run": "a harmless program runs and its result arrives",
    "files": "files of the machine and of the platform cannot be read",
    "writing": "nothing outside the private folders can be written",
    "disk": "the private folders cannot be filled beyond their size",
    "network": "no connection leaves, and none reaches this machine's own services",
    "environment": "the platform's environment is not visible",
    "processes": "the machine's other processes are neither visible nor reachable",
    "forks": "the number of processes is limited",
    "memory": "memory is limited, shared memory too",
    "privileges": "no privilege is held and none can be gained",
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


@functools.cache
def proven(backend: Backend) -> SelfTest:
    """The self-test of a backend, run once a process."""
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
        facts = {"secret": str(secret), "port": port, "pid": os.getpid(), "names": list(ENVIRONMENT)}
        files = {SCRIPT: ATTEMPTS.read_bytes(), "facts.json": json.dumps(facts).encode("ascii")}
        result = execute(backend, Program(files, SCRIPT), inputs, LIMITS)
        left_behind = [path.name for path in folder.iterdir() if path.name not in ("P.csv", *inputs)]
    return _judge(backend, result, left_behind)


def _judge(backend: Backend, result: SandboxResult, left_behind: list[str]) -> SelfTest:
    found = _found(result)
    checks = []
    for name, sentence in QUESTIONS.items():
        # The sandbox is believed to hold only where an attempt came back and achieved nothing.
        achieved = found.get(name, "no answer")
        if name == "writing" and left_behind:
            achieved = f"a file appeared outside: {left_behind[0]}"
        checks.append(
            Check(name, not achieved, sentence if not achieved else f"Not so: {sentence}; {achieved}.")
        )
    ok = all(check.contained for check in checks)
    denied = result.output is None and any(words in result.log for words in NAMESPACES_DENIED)
    return SelfTest(
        backend.name, ok, tuple(checks), "" if ok else NAMESPACES_MEND if denied else backend.mend
    )


def _found(result: SandboxResult) -> dict[str, str]:
    """What the attempts say they achieved; an empty text is a failure to break out."""
    if result.output is None:
        last_line = (result.log.strip().splitlines() or ["nothing in its log"])[-1]
        return {"run": f"{result.reason} ({last_line[:300]})"}
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
