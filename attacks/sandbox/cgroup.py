"""Where the control groups of runs are made: version 2, version 1, or both side by side.

Only the kernel can count everything that a run uses: pages that no process maps, buffers of pipes and
sockets, temporary files, and the time of children that nobody waited for. A run gets groups of its own below
the platform's own group, so that limits of that one (of a systemd unit or a container) hold for runs too.

The environment variable is ``auto`` (the default), ``none``, or names the folder below which groups are made,
several joined by ``:`` where each controller of version 1 has its own.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

VARIABLE = "KAKURENBO_CGROUP"
NEEDED = ("memory", "pids", "cpu")
V1_NAMES = {"memory": "memory", "pids": "pids", "cpu": "cpuacct"}
V1_FILES = {"memory": "memory.limit_in_bytes", "pids": "pids.max", "cpu": "cpuacct.usage"}
V2_SWITCHED = ("memory", "pids")
"""Controllers that version 2 must switch on for a group; CPU time it counts for every group."""
LEAF = "kakurenbo-platform"
LEAF_ROUNDS = 20
MEND = (
    "Start the worker by the systemd unit in docker/systemd, which delegates control groups to it, or with"
    f" `systemd-run --user --scope --property=Delegate=yes`, or name a group in {VARIABLE}; see"
    " docs/deployment.md."
)


@dataclass(frozen=True)
class Places:
    """The folder below which each controller's groups are made. ``kind`` is v2, v1, hybrid or none.

    Where it is "none" there are no folders, and ``lack`` is a sentence on why.
    """

    kind: str
    parents: Mapping[str, Path]
    lack: str = ""

    @property
    def found(self) -> bool:
        return self.kind != "none"


def find(proc: Path = Path("/proc/self")) -> Places:
    """The places for this process, by the environment variable or by where the process itself is."""
    given = os.environ.get(VARIABLE, "")
    if given == "none":
        return Places("none", {}, f"{VARIABLE} is set to none.")
    if given not in ("", "auto"):
        return _named([Path(name) for name in given.split(":") if name])
    return _discovered(proc)


def mistake() -> str | None:
    """A sentence where the variable names groups that cannot be used: then nothing runs, counted or not."""
    if os.environ.get(VARIABLE, "") in ("", "auto", "none"):
        return None
    return find().lack or None


def _named(folders: list[Path]) -> Places:
    parents: dict[str, Path] = {}
    versions = set()
    for folder in folders:
        if not _writable(folder):
            lack = f"{VARIABLE} names {folder}, which is no control group that this user may divide."
            return Places("none", {}, lack)
        if (folder / "cgroup.subtree_control").exists():
            if _divides(folder, V2_SWITCHED):
                versions.add("v2")
                parents |= dict.fromkeys(NEEDED, folder)
            continue
        for controller, file in V1_FILES.items():
            # The uppermost group of version 1 has no limits, but those below it have.
            if (folder / file).exists() or folder.name == V1_NAMES[controller]:
                versions.add("v1")
                parents[controller] = folder
    return _complete(parents, versions, f"{VARIABLE} names {', '.join(map(str, folders))}, and")


def _discovered(proc: Path) -> Places:
    parents: dict[str, Path] = {}
    versions = set()
    own = _memberships(proc)
    mounts = list(_mounts(proc))
    for controller, name in V1_NAMES.items():
        for root, point, controllers in mounts:
            folder = _inside(root, point, own.get(name)) if name in controllers else None
            if folder and _writable(folder):
                parents[controller] = folder
                versions.add("v1")
    open_ones = [controller for controller in NEEDED if controller not in parents]
    for root, point, controllers in mounts if open_ones else ():
        folder = None if controllers else _inside(root, point, own.get(""))
        wanted = [controller for controller in open_ones if controller in V2_SWITCHED]
        divided = _v2_parent(folder, point, wanted) if folder else None
        if divided:
            parents |= dict.fromkeys(open_ones, divided)
            versions.add("v2")
            break
    return _complete(parents, versions, "On this machine")


def _complete(parents: dict[str, Path], versions: set[str], where: str) -> Places:
    absent = [controller for controller in NEEDED if controller not in parents]
    if absent:
        lack = f"{where} no control group can be made that counts {', '.join(absent)}."
        return Places("none", {}, lack)
    return Places("hybrid" if len(versions) > 1 else versions.pop(), parents)


def _memberships(proc: Path) -> dict[str, str]:
    """Controller of version 1 → path of our own group; the empty name means version 2."""
    own: dict[str, str] = {}
    with suppress(OSError):
        for line in (proc / "cgroup").read_text(encoding="utf-8").splitlines():
            _, names, path = line.split(":", 2)
            own |= dict.fromkeys(names.split(","), path)
    return own


def _mounts(proc: Path) -> Iterator[tuple[str, Path, frozenset[str]]]:
    """Root, mount point and controllers of each hierarchy; version 2 has an empty set of controllers."""
    with suppress(OSError):
        for line in (proc / "mountinfo").read_text(encoding="utf-8").splitlines():
            before, _, after = line.partition(" - ")
            root, point = before.split()[3:5]
            kind, _, options = after.split()[:3]
            if kind == "cgroup2":
                yield root, Path(point), frozenset()
            elif kind == "cgroup":
                yield root, Path(point), frozenset(options.split(","))


def _inside(root: str, point: Path, path: str | None) -> Path | None:
    """Where a group is below a mount that may show only a part of the hierarchy."""
    if path is None or not Path(path).is_relative_to(root) or ".." in Path(path).parts:
        return None
    return point / Path(path).relative_to(root)


def _writable(folder: Path) -> bool:
    processes = folder / "cgroup.procs"
    return processes.exists() and os.access(folder, os.W_OK) and os.access(processes, os.W_OK)


def _v2_parent(own: Path, top: Path, wanted: list[str]) -> Path | None:
    """The nearest group of version 2 that can be divided.

    A group with processes in it cannot. Where our own was handed to us, we move into a part of it first.
    """
    if _handed_over(own, top):
        _step_aside(own)
    upwards = [folder for folder in (own, *own.parents) if folder.is_relative_to(top)]
    for folder in upwards:
        if _divides(folder, wanted):
            return folder
    if _writable(own) and os.geteuid() != 0:
        _step_aside(own)
        return own if _divides(own, wanted) else None
    return None


def _handed_over(own: Path, top: Path) -> bool:
    """Whether systemd marked the group as delegated, or it is the uppermost that a container sees."""
    if own == top:
        return (own / "cgroup.type").exists()
    for mark in ("user.delegate", "trusted.delegate"):
        with suppress(OSError):
            if os.getxattr(own, mark) == b"1":
                return True
    return False


def _step_aside(own: Path) -> None:
    """Move every process of a group into one below it, where they count as before."""
    if not _writable(own):
        return
    leaf = own / LEAF
    with suppress(OSError):
        leaf.mkdir(exist_ok=True)
        for _ in range(LEAF_ROUNDS):
            pids = (own / "cgroup.procs").read_text(encoding="ascii").split()
            if not pids:
                break
            for pid in pids:
                # A process may end, or a new one appear, while we look.
                with suppress(ProcessLookupError):
                    (leaf / "cgroup.procs").write_text(pid, encoding="ascii")


def _divides(folder: Path, wanted: list[str] | tuple[str, ...]) -> bool:
    """Whether groups below this one can have these controllers, after switching them on if need be."""
    if not _writable(folder):
        return False
    try:
        offered = (folder / "cgroup.controllers").read_text(encoding="ascii").split()
        control = folder / "cgroup.subtree_control"
        off = set(wanted) - set(control.read_text(encoding="ascii").split())
        if not set(wanted) <= set(offered):
            return False
        if off:
            control.write_text(" ".join(f"+{name}" for name in sorted(off)), encoding="ascii")
    except OSError:
        return False
    return True
