"""Every hostile program is contained, the platform is unharmed, the team is told, and the next job runs."""

from __future__ import annotations

import dataclasses
import io
import os
import tempfile
from pathlib import Path

import pytest

from attacks.sandbox import STATUSES
from games.shop.data.check import check_guess
from tests.attacks.sandbox.conftest import SECRET, SMALL, Platform, left_behind, run_program
from tests.attacks.sandbox.hostile import HOSTILE
from tests.attacks.sandbox.hostile_memory import FILES, MEMORY
from tests.attacks.sandbox.hostile_time import KERNEL, TIME
from tests.conftest import ROOT

EVERY = {**HOSTILE, **MEMORY, **FILES, **TIME, **KERNEL}
CASES = [(mode, name) for mode in ("groups", "none") for name in EVERY if mode in EVERY[name].modes]
GOOD = b"import sys; open(sys.argv[3], 'w').write('2\\n1\\n')"


def test_there_are_at_least_ninety() -> None:
    assert len(EVERY) >= 90
    assert len(EVERY) == sum(map(len, (HOSTILE, MEMORY, FILES, TIME, KERNEL)))


def test_what_only_groups_contain_is_told_to_who_runs_without() -> None:
    text = " ".join((ROOT / "docs/threat-model.md").read_text(encoding="utf-8").split())
    for name, hostile in EVERY.items():
        assert "none" in hostile.modes or name in text


@pytest.mark.parametrize(("mode", "name"), CASES, indirect=["mode"])
def test_a_hostile_program_is_contained(
    name: str, mode: str, sandbox: str, platform: Platform, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile = EVERY[name]
    monkeypatch.setenv("KAKURENBO_SECRET", SECRET)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = platform.contents()
    limits = dataclasses.replace(SMALL, **hostile.limits)

    result = run_program(hostile.program(platform.facts), platform.inputs, limits, sandbox)

    assert result.status in hostile.statuses, (result.reason, result.log)
    assert "ESCAPED" not in result.log, result.log
    assert hostile.words in str(result.reason)
    assert hostile.logged in result.log
    assert result.status != "done" or hostile.if_done in result.log
    assert SECRET not in str(result.reason) + str(result.output)
    assert result.status in STATUSES
    assert (result.output is not None) == (result.status == "done")
    assert len(result.output or b"") <= limits.output_bytes
    assert not any(character in result.log for character in "\x1b\x07\0\r\u202e")

    assert platform.contents() == before
    assert platform.bystander.poll() is None
    assert left_behind(tmp_path) == []
    assert list(tmp_path.iterdir()) == []
    assert result.cpu_seconds < limits.cpu_seconds + 2
    # The kernel's own limit of a process counts ticks, which overrate programs that run for moments.
    assert result.status != "cpu-exceeded" or result.cpu_seconds > limits.cpu_seconds * 0.5
    # After one that came to its own end, the next case shows it.
    if result.status != "done":
        following = run_program(GOOD, platform.inputs, SMALL, sandbox)
        assert (following.status, following.output) == ("done", b"2\n1\n")


@pytest.mark.parametrize("name", ["a Q of the wrong length", "a Q that is no UTF-8"])
def test_a_malformed_guess_reaches_the_checker_which_names_the_fault(
    name: str, sandbox: str, platform: Platform
) -> None:
    result = run_program(HOSTILE[name].program(platform.facts), platform.inputs, SMALL, sandbox)
    assert result.output is not None
    guess, verdict = check_guess(io.BytesIO(result.output), n_released=2, n_original=2)
    assert guess is None
    assert not verdict.ok


def test_no_descriptor_of_the_platform_is_inherited(sandbox: str, platform: Platform) -> None:
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    try:
        program = HOSTILE["looks for open descriptors"].program(platform.facts)
        result = run_program(program, platform.inputs, SMALL, sandbox)
    finally:
        os.close(reading)
        os.close(writing)
    assert "ESCAPED" not in result.log
