"""Control groups: on the machine's own where one may be made, else on files that look like the kernel's."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from attacks.sandbox import run_program
from attacks.sandbox.cgroup import VARIABLE, ran_out_of_memory, set_limits
from tests.attacks.sandbox.conftest import SMALL, Platform
from tests.conftest import missing

MEMORY = (300 + 2 * 8 + 16) << 20


@pytest.fixture
def real_group() -> Iterator[Path]:
    """A group below that of the process counter, which here belongs to nobody."""
    group = Path("/sys/fs/cgroup/pids") / f"kakurenbo-test-{secrets.token_hex(4)}"
    try:
        group.mkdir()
    except OSError as error:
        missing(f"control groups absent: {error}")
    yield group
    group.rmdir()


def test_a_run_is_counted_in_a_group_of_its_own(
    real_group: Path, sandbox: str, platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(real_group))
    program = b"import sys; open(sys.argv[3], 'w').write(open('/proc/self/cgroup').read() or '-')"
    result = run_program(program, platform.inputs, SMALL, sandbox)
    assert result.status == "done", result.log
    # Its own view starts at its own group; the group itself is gone with the run.
    assert b"pids:/" in (result.output or b"")
    assert [path for path in real_group.iterdir() if path.is_dir()] == []


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("memory.max", "memory.swap.max", "pids.max"), (str(MEMORY), "0", "38")),
        (("memory.limit_in_bytes", "memory.memsw.limit_in_bytes"), (str(MEMORY), str(MEMORY))),
    ],
    ids=["v2", "v1"],
)
def test_the_limits_go_to_the_files_that_exist(
    names: tuple[str, ...], expected: tuple[str, ...], tmp_path: Path
) -> None:
    for name in names:
        (tmp_path / name).write_text("max\n")
    set_limits(tmp_path, SMALL)
    assert tuple((tmp_path / name).read_text() for name in names) == expected
    assert {path.name for path in tmp_path.iterdir()} == set(names)


@pytest.mark.parametrize("name", ["memory.events", "memory.oom_control"])
def test_an_end_for_memory_is_noticed(name: str, tmp_path: Path) -> None:
    assert not ran_out_of_memory([tmp_path])
    (tmp_path / name).write_text("oom 3\noom_kill 0\n")
    assert not ran_out_of_memory([tmp_path])
    (tmp_path / name).write_text("oom 3\noom_kill 2\n")
    assert ran_out_of_memory([tmp_path])


def test_a_folder_that_is_no_group_is_named(
    platform: Platform, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sandbox: str
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    result = run_program(b"pass", platform.inputs, SMALL, sandbox)
    assert result.status == "refused"
    assert f"{VARIABLE} names {tmp_path}" in result.reason
