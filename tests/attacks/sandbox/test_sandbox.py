"""What honest programs get, what the platform learns, and that nothing runs where nothing isolates."""

from __future__ import annotations

import dataclasses
import os
import resource
import struct
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import attacks.sandbox.bubblewrap as bubblewrap
from attacks.sandbox import Limits, NoSandbox, SandboxFault, choose_backend, examine, self_test
from attacks.sandbox.bubblewrap import Bubblewrap
from attacks.sandbox.containers import Container
from attacks.sandbox.execute import execute
from attacks.sandbox.program import NOTHING_TO_RUN, Program, read_program
from attacks.sandbox.stage import Stage
from attacks.sandbox.unsafe import ACCEPTANCE
from tests.attacks.sandbox.conftest import SMALL, Platform, left_behind, run_program
from tests.attacks.sandbox.test_program import zipped
from tests.conftest import ROOT, missing

TEMPLATE = ROOT / "games" / "shop" / "starters" / "reidentify.py"
BINARIES = list(bubblewrap.found())
HONEST = b"""
import os, sys
print("inputs", sorted(os.listdir(sys.argv[1])), sorted(os.listdir(sys.argv[2])))
with open(sys.argv[3], "w") as file:
    file.write("2\\n1\\n")
"""


def test_an_honest_program_gets_its_inputs_and_gives_its_result(sandbox: str, platform: Platform) -> None:
    result = run_program(HONEST, platform.inputs, SMALL, sandbox)
    assert (result.status, result.output, result.exit_code) == ("done", b"2\n1\n", 0)
    assert result.log == "inputs ['M.csv', 'T.csv'] ['M.csv', 'T.csv']\n"
    assert 0 < result.cpu_seconds < result.wall_seconds + 1
    assert result.peak_memory > 1 << 20


@pytest.mark.parametrize("backend", BINARIES, ids=lambda backend: backend.binary.parent.name)
def test_the_system_package_and_the_wheel_both_pass_the_self_test(backend: Bubblewrap, sandbox: str) -> None:
    test = self_test(backend)
    assert test.ok, test.checks
    assert test.how_to_mend == ""
    assert {check.name for check in test.checks} >= {"files", "network", "forks", "environment", "memory"}


@dataclasses.dataclass(frozen=True)
class Weakened(Bubblewrap):
    """A sandbox with a hole: some words of its command line are replaced."""

    holes: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()

    def command(self, *arguments: object) -> tuple[str, ...]:  # type: ignore[override]
        line = "\n".join(super().command(*arguments))  # type: ignore[arg-type]
        for words, replacement in self.holes:
            assert "\n".join(words) in line, words
            line = line.replace("\n".join(words), "\n".join(replacement))
        return tuple(word for word in line.split("\n") if word)


ALLOW_ALL = struct.pack("=HBBI", 0x06, 0, 0, 0x7FFF0000)
CLOSED = ("--remount-ro", "/dev")
HOLES = {
    "files": ((CLOSED, ("--dir", "/root", "--ro-bind", "/etc/os-release", "/root/.bashrc", *CLOSED)),),
    "writing": ((CLOSED, ("--perms", "0777", "--tmpfs", "/etc", *CLOSED)),),
    "disk": ((("--size", str(8 << 20), "--tmpfs", "/out"), ("--tmpfs", "/out")),),
    "network": ((("--unshare-net",), ()),),
    "environment": ((("--chdir",), ("--setenv", "DATABASE_URL", "secret", "--chdir")),),
    "processes": ((("--unshare-pid",), ()), (("--proc", "/proc"), ("--ro-bind", "/proc", "/proc"))),
    "forks": ((("--nproc=18",), ("--nproc=400",)),),
    "memory": (),
    "privileges": (),
}
UNFILTERED = ("network", "memory", "privileges")
"""Holes that only open where the call filter, the second layer, is away too."""


@pytest.mark.parametrize("name", HOLES)
def test_the_self_test_notices_a_hole(name: str, sandbox: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if name in UNFILTERED:
        monkeypatch.setattr(bubblewrap, "filter_program", lambda **_: ALLOW_ALL)
    test = self_test(Weakened(BINARIES[0].binary, holes=HOLES[name]))
    assert not test.ok
    assert name in [check.name for check in test.checks if not check.contained], test.checks
    assert test.how_to_mend


def test_the_template_for_teams_finds_everybody_who_is_only_renamed(sandbox: str, tmp_path: Path) -> None:
    """On pseudonymised data with distinct item sets the nearest item set is the person (distance 0)."""
    rng = np.random.default_rng(7)
    n = 30
    rows = [
        (who, f"{item:03d}") for who in range(n) for item in sorted({who, *rng.integers(0, 60, 4).tolist()})
    ]
    order = rng.permutation(n)
    for side, names, sequence in (("original", "c", np.arange(n)), ("entry", "p", order)):
        (tmp_path / side).mkdir()
        place = {int(who): i for i, who in enumerate(sequence)}
        master = "".join(f"{names}{i},f,1970/1/1,Japan\n" for i in range(n))
        lines = [f"{names}{place[who]},r,2011/1/1,8:00,{item},1.5,2\n" for who, item in rows]
        (tmp_path / side / "M.csv").write_text(master)
        (tmp_path / side / "T.csv").write_text("".join(lines))
    result = run_program(
        TEMPLATE, {side: tmp_path / side for side in ("original", "entry")}, Limits(), sandbox
    )
    assert result.status == "done", result.log
    assert result.output == "".join(f"{who + 1}\n" for who in order).encode()
    assert result.log == f"guessed {n} people of {n}\n"


def test_the_template_finds_all_400_of_the_contest_of_2016(
    sandbox: str, shared_data: Path, tmp_path: Path
) -> None:
    """All 400 item sets of the real data are distinct, so renaming alone hides nobody."""
    original = shared_data / "pwscup2016"
    people = (original / "M.csv").read_text().splitlines()
    order = np.random.default_rng(2016).permutation(len(people))
    name = {people[row].split(",")[0]: f"p{place}" for place, row in enumerate(order)}
    entry = tmp_path / "entry"
    entry.mkdir()
    for file, lines in (
        ("M.csv", [people[row] for row in order]),
        ("T.csv", sorted((original / "T.csv").read_text().splitlines(), reverse=True)),
    ):
        cells = (line.split(",", 1) for line in lines)
        (entry / file).write_text("".join(f"{name[who]},{rest}\n" for who, rest in cells))
    result = run_program(TEMPLATE, {"original": original, "entry": entry}, Limits(), sandbox)
    assert result.output == "".join(f"{row + 1}\n" for row in order).encode(), result.log


def test_a_program_in_another_language_runs_with_what_the_system_has(
    sandbox: str, platform: Platform
) -> None:
    program = zipped({"reidentify": b"#!/bin/sh\ncut -d, -f1 $2/M.csv | sed s/c// > $3\n"})
    assert run_program(program, platform.inputs, SMALL, sandbox).output == b"1\n2\n"


def test_modules_of_the_archive_can_be_imported(sandbox: str, platform: Platform) -> None:
    files = {"team/reidentify.py": b"import sys, model.guess as g; g.write(sys.argv[3])"}
    files["team/model/guess.py"] = b"def write(path): open(path, 'w').write('1\\n')"
    assert run_program(zipped(files), platform.inputs, SMALL, sandbox).output == b"1\n"


def test_two_runs_give_the_same_bytes(sandbox: str, platform: Platform) -> None:
    program = (
        b"import sys; open(sys.argv[3], 'w').write(str(list({'a', 'b', 'c', 'd', 'e'})) + str(hash('x')))"
    )
    one, other = (run_program(program, platform.inputs, SMALL, sandbox).output for _ in range(2))
    assert one is not None and one == other


def test_the_log_can_be_followed_while_the_program_runs(sandbox: str, platform: Platform) -> None:
    seen: list[tuple[float, str]] = []
    program = b"import time; print('first'); time.sleep(0.3); print('\\x1b[31msecond')"
    run_program(program, platform.inputs, SMALL, sandbox, lambda text: seen.append((time.monotonic(), text)))
    assert "".join(text for _, text in seen) == "first\n\\x1b[31msecond\n"
    assert seen[-1][0] - seen[0][0] > 0.1


def test_a_long_log_keeps_its_beginning_and_its_end(sandbox: str, platform: Platform) -> None:
    program = b"print('begin'); print('x' * 100_000); print('end')"
    log = run_program(program, platform.inputs, SMALL, sandbox).log
    assert log.startswith("begin\n") and log.endswith("end\n")
    assert "of the log left out" in log
    assert len(log) < SMALL.log_bytes + 100


def test_runs_side_by_side_do_not_take_each_others_processes(sandbox: str, platform: Platform) -> None:
    program = b"""
import os, sys, time
count = 0
try:
    while count < 100:
        if os.fork() == 0:
            time.sleep(1); os._exit(0)
        count += 1
except OSError:
    pass
time.sleep(0.5)
open(sys.argv[3], "w").write(str(count))
"""
    with ThreadPoolExecutor(2) as pool:
        runs = list(pool.map(lambda _: run_program(program, platform.inputs, SMALL, sandbox), range(2)))
    assert all(SMALL.processes - 3 <= int(run.output or b"0") <= SMALL.processes for run in runs), runs


def test_nothing_outlives_a_killed_platform(sandbox: str, platform: Platform, tmp_path: Path) -> None:
    code = f"""
import sys, tempfile
from pathlib import Path
from attacks.sandbox import run_program, Limits
tempfile.tempdir = {str(tmp_path)!r}
inputs = {{side: Path({str(platform.folder)!r}, side) for side in ("original", "entry")}}
def show(text): print(text, flush=True)
up = b"import time; print('up'); time.sleep(60)"
run_program(up, inputs, Limits(), {sandbox!r}, show, accept_uncounted=True)
"""
    worker = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=ROOT)
    assert worker.stdout is not None and worker.stdout.readline() == b"up\n"
    assert left_behind(tmp_path)
    worker.kill()
    worker.wait()
    worker.stdout.close()
    deadline = time.monotonic() + 10
    while left_behind(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert left_behind(tmp_path) == []


def test_a_plain_user_gets_the_same_isolation(sandbox: str) -> None:
    python = Path("/usr/bin/python3.11")
    if os.geteuid() != 0 or not python.exists() or sys.version_info[:2] != (3, 11):
        missing("root absent: becoming a plain user needs it, and a Python 3.11 that everybody may run")
    site = Path(np.__file__).parent.parent
    code = (
        "from attacks.sandbox import choose_backend, self_test;"
        "test = self_test(choose_backend(accept_uncounted=True)); print(test.ok, test.checks)"
    )
    user = [
        "setpriv",
        "--reuid=61900",
        "--regid=61900",
        "--clear-groups",
        "--inh-caps=-all",
        "--bounding-set=-all",
    ]
    environment = {"PYTHONPATH": f"{ROOT}:{site}", "PYTHONDONTWRITEBYTECODE": "1", "PATH": os.defpath}
    done = subprocess.run(
        [*user, str(python), "-c", code],
        env=environment,
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    if "Permission denied" in done.stderr or "No module named 'attacks'" in done.stderr:
        missing("readable folder absent: a plain user may not read the project's")
    assert done.stdout.startswith("True"), done.stdout + done.stderr


def test_without_bubblewrap_programs_are_refused_with_the_remedy(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap, "found", lambda: iter(()))
    result = run_program(HONEST, platform.inputs, SMALL)
    assert result.status == "refused"
    assert "bubblewrap is missing" in result.reason and "make system" in result.reason


def test_a_sandbox_that_fails_its_self_test_is_not_used(
    platform: Platform, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "bwrap"
    fake.write_text(
        "#!/bin/sh\necho 'bwrap: Creating new namespace failed: Operation not permitted' >&2\nexit 1\n"
    )
    fake.chmod(0o755)
    monkeypatch.setattr(bubblewrap, "found", lambda: iter([Bubblewrap(fake)]))
    result = run_program(HONEST, platform.inputs, SMALL)
    assert result.status == "refused"
    assert "failed its self-test" in result.reason and "sysctl" in result.reason


def test_pages_can_show_the_self_test_whatever_it_says(sandbox: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert examine(sandbox, accept_uncounted=True).ok
    assert "must be one of" in examine("nsjail").how_to_mend
    monkeypatch.setenv(ACCEPTANCE, "1")
    assert not examine("none").ok


@pytest.mark.parametrize("name", ["nsjail", "BWRAP", ""])
def test_an_unknown_sandbox_is_refused(name: str) -> None:
    with pytest.raises(NoSandbox, match="must be one of auto, bwrap, docker, podman, gvisor, none"):
        choose_backend(name)


@pytest.mark.parametrize("value", [None, "", "0", "true", "yes"])
def test_no_isolation_needs_an_explicit_word(
    value: str | None, platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(ACCEPTANCE, raising=False)
    if value is not None:
        monkeypatch.setenv(ACCEPTANCE, value)
    result = run_program(HONEST, platform.inputs, SMALL, "none")
    assert result.status == "refused"
    assert ACCEPTANCE in result.reason


def test_no_isolation_runs_where_it_was_accepted(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ACCEPTANCE, "1")
    assert run_program(HONEST, platform.inputs, SMALL, "none").output == b"2\n1\n"
    stuck = run_program(b"import time; time.sleep(60)", platform.inputs, Limits(wall_seconds=0.3), "none")
    assert stuck.status == "timed-out"


def test_no_isolation_does_not_count_what_else_the_user_runs(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel's limit is one of all processes of a user: even this test would be one too many."""
    monkeypatch.setenv(ACCEPTANCE, "1")
    program = (
        b"import resource, sys; open(sys.argv[3], 'w').write(str(resource.getrlimit(resource.RLIMIT_NPROC)))"
    )
    result = run_program(program, platform.inputs, dataclasses.replace(SMALL, processes=1), "none")
    assert result.output == str(resource.getrlimit(resource.RLIMIT_NPROC)).encode(), result.log


def test_a_bad_upload_is_told_and_not_run(platform: Platform) -> None:
    result = run_program(zipped({"main.py": b"pass"}), platform.inputs, SMALL)
    assert result.status == "invalid-program"
    assert result.reason == NOTHING_TO_RUN(script="reidentify.py", executable="reidentify")


def test_the_container_command_carries_every_limit_and_no_privilege(tmp_path: Path) -> None:
    container = Container("gvisor", Path("/usr/bin/docker"), "kakurenbo-sandbox")
    stage = Stage(tmp_path, "reidentify.py")
    words = container.command(stage, SMALL, "kakurenbo-1", tmp_path / "seccomp.json")
    line = " ".join(words)
    for expected in (
        "/usr/bin/docker run --rm --name kakurenbo-1",
        "--runtime runsc",
        "--network none",
        "--read-only",
        "--cap-drop ALL",
        "--security-opt no-new-privileges",
        f"--security-opt seccomp={tmp_path}/seccomp.json",
        f"--memory {300 << 20} --memory-swap {300 << 20}",
        "--pids-limit 34",
        f"--tmpfs /out:rw,nosuid,nodev,size={8 << 20},mode=1777",
        "--ulimit cpu=1:2",
        "--user 61001:61001",
        f"--volume {tmp_path}/entry:/entry:ro",
        "python3 /program/reidentify.py /original /entry /out/Q.csv",
    ):
        assert expected in line
    assert not {"--privileged", "--env-file", "--cap-add"} & set(words)
    assert "runsc" not in Container("podman", Path("/usr/bin/podman"), "x").command(
        stage, SMALL, "n", tmp_path
    )


def test_a_container_engine_that_cannot_run_is_refused(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    result = run_program(HONEST, platform.inputs, SMALL, "docker")
    assert result.status == "refused"
    assert "docker is not installed" in result.reason


@pytest.mark.parametrize("value", [0, -1])
def test_a_limit_must_be_positive(value: int) -> None:
    with pytest.raises(ValueError, match=f"'processes' limit must be greater than 0. Got {value} instead"):
        Limits(processes=value)


def test_a_sandbox_that_breaks_is_the_platforms_fault_not_the_teams(
    platform: Platform, tmp_path: Path
) -> None:
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: No space left on device' >&2\nexit 1\n")
    fake.chmod(0o755)
    with pytest.raises(SandboxFault, match="No space left on device"):
        execute(Bubblewrap(fake), read_program(HONEST), platform.inputs, SMALL)


def test_a_missing_input_is_an_error_of_the_platform(sandbox: str, tmp_path: Path) -> None:
    program = Program({"reidentify.py": b"pass"}, "reidentify.py")
    with pytest.raises(ValueError, match=r"must hold M\.csv"):
        execute(
            choose_backend(sandbox, accept_uncounted=True),
            program,
            {"original": tmp_path, "entry": tmp_path},
            SMALL,
        )
    with pytest.raises(ValueError, match="must be original, entry"):
        execute(
            choose_backend(sandbox, accept_uncounted=True),
            read_program(b"pass"),
            {"original": tmp_path},
            SMALL,
        )
