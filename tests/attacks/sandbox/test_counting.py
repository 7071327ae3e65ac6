"""Runs that are counted by the machine's own control groups, and what happens where there are none."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from attacks.sandbox import NoSandbox, cgroup, choose_backend, examine, self_test
from attacks.sandbox import run_program as run_counted_program
from attacks.sandbox.bubblewrap import found
from attacks.sandbox.choose import ACCEPTANCE
from attacks.sandbox.containers import Container
from attacks.sandbox.group import PREFIX, remove_forgotten, run_group
from attacks.sandbox.unsafe import ACCEPTANCE as UNSAFE
from tests.attacks.sandbox.conftest import SMALL, Platform, run_program
from tests.conftest import ROOT, missing

HONEST = b"import sys; open(sys.argv[3], 'w').write('1\\n')"


@pytest.fixture
def places(monkeypatch: pytest.MonkeyPatch) -> cgroup.Places:
    monkeypatch.setenv(cgroup.VARIABLE, "auto")
    places = cgroup.find()
    if not places.found:
        missing(f"control groups absent: {places.lack}")
    return places


def groups_of(places: cgroup.Places) -> list[Path]:
    return [folder for parent in set(places.parents.values()) for folder in parent.glob(f"{PREFIX}*")]


def test_a_run_is_in_a_group_of_its_own_that_goes_with_it(
    places: cgroup.Places, sandbox: str, platform: Platform
) -> None:
    program = b"import sys; open(sys.argv[3], 'w').write(open('/proc/self/cgroup').read())"
    result = run_counted_program(program, platform.inputs, SMALL, sandbox)
    assert result.status == "done", result.log
    name = (result.output or b"").decode().partition(PREFIX)[2][:12]
    assert len(name) == 12
    assert [folder for folder in groups_of(places) if folder.name == f"{PREFIX}{name}"] == []


def test_the_report_says_what_the_group_counted(
    places: cgroup.Places, sandbox: str, platform: Platform
) -> None:
    """Of 0.4 s that nobody waited for, and of 40 MB that no process of the run maps, nothing is lost."""
    program = b"""
import mmap, os, signal, sys, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for _ in range(20):
    if os.fork() == 0:
        while time.process_time() < 0.02: pass
        os._exit(0)
pages = mmap.mmap(-1, 40 << 20)
if os.fork() == 0:
    time.sleep(60)
for place in range(0, len(pages), 4096):
    pages[place] = 1
pages.close()
time.sleep(0.3)
open(sys.argv[3], "w").write("1")
"""
    result = run_counted_program(program, platform.inputs, SMALL, sandbox)
    assert result.status == "done", result.log
    assert result.cpu_seconds >= 0.4
    assert result.peak_memory >= 40 << 20


def test_the_group_of_a_killed_worker_is_removed_at_the_next_start(
    places: cgroup.Places, platform: Platform
) -> None:
    code = """
import sys
from attacks.sandbox import cgroup, Limits
from attacks.sandbox.group import run_group
with run_group(cgroup.find(), Limits()) as group:
    print(*group.each, sep="\\n", end="\\n.\\n", flush=True)
    sys.stdin.read()
"""
    worker = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, text=True
    )
    assert worker.stdin and worker.stdout
    folders = [Path(line.strip()) for line in iter(worker.stdout.readline, ".\n")]
    remove_forgotten(places)
    assert folders and all(folder.exists() for folder in folders), "a run that lives keeps its groups"
    worker.kill()
    worker.wait()
    worker.stdin.close()
    worker.stdout.close()
    assert all(folder.exists() for folder in folders)
    with run_group(places, SMALL):
        assert not any(folder.exists() for folder in folders)


def test_what_is_left_in_a_forgotten_group_is_ended(places: cgroup.Places) -> None:
    folders = [parent / f"{PREFIX}forgotten-{os.getpid()}" for parent in set(places.parents.values())]
    sleeper = subprocess.Popen(["/bin/sleep", "600"])
    try:
        for folder in folders:
            folder.mkdir()
            (folder / "cgroup.procs").write_text(str(sleeper.pid))
        remove_forgotten(places)
        assert sleeper.wait(timeout=60) == -9
    finally:
        sleeper.kill()
        sleeper.wait()
        remove_forgotten(places)
    assert not any(folder.exists() for folder in folders)


@pytest.mark.parametrize("mode", ["groups", "none"], indirect=True)
def test_both_ways_pass_the_self_test(mode: str, sandbox: str) -> None:
    test = self_test(choose_backend("auto", accept_uncounted=True))
    assert test.ok, test.checks
    assert (test.counted_by == "none") == (mode == "none")


def test_without_groups_and_filter_the_self_test_notices_what_nothing_counts(
    sandbox: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(cgroup.VARIABLE, "none")
    counted = "attacks.sandbox.bubblewrap.filter_program"
    from attacks.sandbox.seccomp import filter_program

    monkeypatch.setattr(counted, lambda **_: filter_program(uncounted=False))
    failed = [check for check in self_test(next(iter(found()))).checks if not check.contained]
    assert [check.name for check in failed] == ["counting"]
    assert "192 MB of shared memory could be held" in failed[0].sentence


def test_without_groups_programs_of_others_are_refused_until_somebody_accepts(
    sandbox: str, platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(cgroup.VARIABLE, "none")
    result = run_counted_program(HONEST, platform.inputs, SMALL, sandbox)
    assert result.status == "refused"
    assert ACCEPTANCE in result.reason and "KAKURENBO_CGROUP is set to none." in result.reason
    with pytest.raises(NoSandbox, match="No control group counts"):
        choose_backend()
    assert not examine().ok
    assert run_program(HONEST, platform.inputs, SMALL, sandbox).output == b"1\n"


def test_a_container_engine_counts_by_itself() -> None:
    assert Container("docker", Path("/usr/bin/docker"), "x").counted_by == "engine"


def test_a_group_that_is_named_and_is_none_is_a_mistake_that_nobody_accepts(
    platform: Platform, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sandbox: str
) -> None:
    monkeypatch.setenv(cgroup.VARIABLE, str(tmp_path))
    result = run_program(HONEST, platform.inputs, SMALL, sandbox)
    assert result.status == "refused"
    assert f"{cgroup.VARIABLE} names {tmp_path}" in result.reason


def test_without_any_sandbox_time_is_not_forgotten_with_its_children(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No filter keeps this run from ignoring the end of its children; the watcher saw them alive."""
    monkeypatch.setenv(UNSAFE, "1")
    program = b"""
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for _ in range(12):
    child = os.fork()
    if child == 0:
        while time.process_time() < 0.5: pass
        os._exit(0)
    try:
        os.waitpid(child, 0)
    except ChildProcessError:
        pass
"""
    limits = replace(SMALL, wall_seconds=240)
    result = run_program(program, platform.inputs, limits, "none")
    assert result.status == "cpu-exceeded"
    assert 2 < result.cpu_seconds < 5
